// The one table about a behavior's parameters, without C++ types. Reading, JSON Schema, reference pages, bindings and
// checkpoints are each a loop over it. It is made by Schema<Params> (schema.h).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ymir/param/applicability.h"
#include "ymir/param/references.h"
#include "ymir/param/unit.h"
#include "ymir/param/value.h"

namespace ymir {

// How a value is written, and the alternative of ParamValue that holds it (in brackets where it is not obvious).
enum class ParamType : std::uint8_t {
  boolean,
  integer,
  real,
  vector,
  text,
  choice,  // one of ParamInfo::choices [string]
  list,    // any number of reals
  input,   // name of an entry of `inputs:` [string]
  group,   // name or path of a group [string]
  frames,  // first and last frame [FrameRange]
  nested,  // ParamInfo::fields [ParamValues]
  items    // any number of ParamInfo::fields [std::vector<ParamValues>]
};

// What a behavior brings to the simulation; `section` is a part of the setup file itself (time, inputs, outputs).
enum class Category : std::uint8_t { section, object, force, material, constraint, operator_ };
std::string_view to_string(Category);

struct SchemaInfo;

struct ParamInfo {
  std::string name;
  std::string doc;
  ParamType type = ParamType::boolean;
  Unit unit;
  bool varying = false;   // a data channel of this name overrides it
  bool optional = false;  // may be unset
  bool required = false;  // must be given
  bool advanced = false;
  double low = -std::numeric_limits<double>::infinity();  // [SI]; of each component
  double high = std::numeric_limits<double>::infinity();
  bool low_excluded = false;
  bool direction = false;  // a vector of any length but none
  std::vector<std::string> choices;
  std::vector<InputKind> accepts;  // empty: any kind
  std::vector<std::string> old_names;
  std::vector<Condition> only_when;  // all of them; otherwise a value given would be ignored, and is refused
  std::vector<ActsOn> acts_on;       // any of them must be in the scope of a behavior; empty: whatever it acts on
  std::shared_ptr<const SchemaInfo> fields;
  ParamValue default_value;  // what a default-constructed Params holds

  std::function<ParamValue(const void* params)> get;
  std::function<void(void* params, const ParamValue&)> set;
};

struct SchemaInfo {
  std::string name;
  std::string doc;
  Category category = Category::section;
  std::string example;  // path in the repository
  bool once = false;    // a second one in the same group is a mistake
  std::vector<ParamInfo> params;

  const ParamInfo* find(std::string_view param) const;
};

// Writes `values` into the Params that `info` describes. Names and types must fit (CHECK).
void apply(const SchemaInfo& info, const ParamValues& values, void* params);
// All values of a Params, in declared order.
ParamValues collect(const SchemaInfo& info, const void* params);
// `values` with the defaults filled in, in declared order: equal for all ways of writing the same thing.
ParamValues resolved(const SchemaInfo& info, const ParamValues& values);

// Why `value` is out of bounds, or "": not finite, outside the range, first frame after the last.
std::string range_problem(const ParamInfo& info, const ParamValue& value);
// "at least 0 m", "between 0 and 1", "" when unbounded.
std::string range_text(const ParamInfo& info);
// As a setup file writes it, with the unit.
std::string value_text(const ParamInfo& info, const ParamValue& value);

// CHECKs that a finished table is sound: names, docs, choices, defaults within their ranges.
void check_schema(const SchemaInfo& info);

}  // namespace ymir
