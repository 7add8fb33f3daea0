// A symmetric matrix A + G made definite where A is and the sum is not, for Newton's method to go downhill.
//
//   A = L L',  L^-1 G L^-T = V diag(g) V',   G <- L V diag(max(|1 + g|, floor) - 1) V' L'
//
// In the measure of A, curvature of the wrong sign counts by its size [Dauphin2014]; the rest is left as it is. That is
// less of a change than any multiple of A: directions in which A is small are apart from those in which it is large.
#pragma once

namespace ymir {

// Lower halves by rows of `stride`; n of them, 48 at most. False: A is not definite.
bool take_absolute_spectrum(int n, int stride, const double* a, double* g);

}  // namespace ymir
