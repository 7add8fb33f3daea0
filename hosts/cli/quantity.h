// Numbers with units on the command line.
#pragma once

#include <string>

#include "ymir/param/unit.h"

namespace ymir::cli {

// A quantity of the command line; `otherwise` when it was not given. Throws Error(usage).
double quantity(const std::string& option, const std::string& text, const Unit& unit, double otherwise);

}  // namespace ymir::cli
