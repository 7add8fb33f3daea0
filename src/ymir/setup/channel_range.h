// Whether the values that data give to a parameter lie within its range.
#pragma once

#include "ymir/param/schema_info.h"
#include "ymir/pipeline/object.h"

namespace ymir {

// The first value of the channel named by `parameter` that is out of range, with its strand and vertex, its point, its
// node or cell;
// "": none, or no such channel. Before ingest.
std::string channel_problem(const Object& object, const ParamInfo& parameter);

}  // namespace ymir
