// The functions of Lanes for plain numbers, so that one kernel serves both.
#pragma once

#include <cmath>

#include "ymir/math/portable.h"

namespace ymir {

YMIR_HD inline double select(bool which, double a, double b) { return which ? a : b; }
YMIR_HD inline bool any(bool mask) { return mask; }
YMIR_HD inline double max(double a, double b) { return a > b ? a : b; }
YMIR_HD inline double min(double a, double b) { return a < b ? a : b; }
YMIR_HD inline double abs(double a) { return a < 0 ? -a : a; }
YMIR_HD inline double sqrt(double a) { return std::sqrt(a); }
YMIR_HD inline double mul_add(double a, double b, double c) { return std::fma(a, b, c); }
YMIR_HD inline double sin(double a) { return std::sin(a); }
YMIR_HD inline double cos(double a) { return std::cos(a); }
YMIR_HD inline double exp(double a) { return std::exp(a); }
YMIR_HD inline double logarithm(double a) { return std::log(a); }
YMIR_HD inline double atan2(double y, double x) { return std::atan2(y, x); }

}  // namespace ymir
