// All constraint kernels. A struct in src/ymir/physics that declares `rows` must stand in one of the two lists: a test
// reads the sources and says which is missing.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "ymir/physics/rods/bend_twist.h"
#include "ymir/physics/rods/stretch.h"

namespace ymir::conformance {

using Kernels = testing::Types<Stretch, BendTwist>;
inline constexpr std::array<std::string_view, 2> kernel_names{"Stretch", "BendTwist"};

// Evaluated by functions of their own shape; the same properties are tested there.
struct TestedElsewhere {
  std::string_view name, test;
};
inline constexpr std::array<TestedElsewhere, 6> tested_elsewhere{
    {{"Attachment", "tests/unit/physics/attachment_test.cpp"},
     {"Membrane", "tests/unit/physics/shell_kernels_test.cpp"},
     {"Hinge", "tests/unit/physics/shell_kernels_test.cpp"},
     {"TriBending", "tests/unit/physics/shell_kernels_test.cpp"},
     {"MidBending", "tests/unit/physics/shell_kernels_test.cpp"},
     {"Elaston", "tests/unit/physics/elaston_test.cpp"}}};

}  // namespace ymir::conformance
