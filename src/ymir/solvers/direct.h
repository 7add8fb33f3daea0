// Sparse direct solver, the fail-safe of the iterative ones: A = L D L' with a fill-reducing order.
//
// positive: factor() succeeds exactly when every pivot is positive and finite, otherwise it names the row of the first
// that is not. indefinite: for saddle point systems [A J'; J -C] (A positive definite, C positive semidefinite, zero
// allowed, rows of J independent). There is no pivoting; instead each row whose diagonal was not positive at analyze()
// (a multiplier) is eliminated after every unknown it couples. Every leading block then has as many negative pivots as
// multipliers, so no pivot vanishes, and more negative pivots than multipliers say that A is not positive definite.
//
// Eigen is always there; CHOLMOD (positive only) when the build found it. CHOLMOD's supernodal part is GPL: see the
// option YMIR_CHOLMOD.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ymir/solvers/sparse_matrix.h"

namespace ymir {

enum class DirectBackend { automatic, eigen, cholmod };
enum class Definiteness { positive, indefinite };

bool has_cholmod();

struct FactorReport {
  bool ok = false;
  std::int32_t bad_pivot = -1;       // row of the matrix (not of the elimination order) at which factoring stopped
  std::int32_t negative_pivots = 0;  // of an indefinite factor: the negative eigenvalues of A (Sylvester)
};

// What a library provides to a DirectSolver; sizes are above zero.
class Factorization {
 public:
  virtual ~Factorization() = default;
  virtual std::string_view name() const = 0;
  virtual void analyze(const SymmetricMatrix& a) = 0;
  virtual FactorReport factor(const SymmetricMatrix& a) = 0;
  virtual void solve(std::span<double> x) = 0;  // x: right side on entry, solution on return
  virtual std::int64_t factor_entries() const = 0;
};
std::unique_ptr<Factorization> make_cholmod();  // null when built without

// Not for use by several threads at once, solve() included.
class DirectSolver {
 public:
  // automatic: CHOLMOD where it is there and the matrix is positive, else Eigen.
  explicit DirectSolver(DirectBackend backend = DirectBackend::automatic,
                        Definiteness definiteness = Definiteness::positive);

  std::string_view name() const { return backend_->name(); }

  // Order and pattern of the factor, kept for every matrix with the pattern of `a`.
  void analyze(const SymmetricMatrix& a);
  // False when the matrix is not positive definite (positive), or singular in this order (indefinite), or not finite.
  bool factor(const SymmetricMatrix& a);
  const FactorReport& report() const { return report_; }
  // A x = b; b and x may be the same. Needs a factor() that succeeded.
  void solve(std::span<const double> b, std::span<double> x);
  // As solve(), then one step of refinement, kept if it helps; returns |b - A x|. b and x must not overlap.
  double solve_refined(const SymmetricMatrix& a, std::span<const double> b, std::span<double> x);

  std::int64_t factor_entries() const { return size_ > 0 ? backend_->factor_entries() : 0; }

 private:
  std::unique_ptr<Factorization> backend_;
  FactorReport report_;
  std::int32_t size_ = -1;  // -1: not analysed
  std::size_t entries_ = 0;
  std::vector<double> residual_, refined_;
};

}  // namespace ymir
