#include "ymir/solvers/direct.h"

#ifdef YMIR_HAS_CHOLMOD

#include <cholmod.h>
#include <dlfcn.h>

#include <algorithm>
#include <mutex>
#include <string>

#include "ymir/base/check.h"
#include "ymir/base/error.h"

namespace ymir {
namespace {

// CHOLMOD calls a BLAS, and not every build of every BLAS may be called from several threads: one at a time.
std::mutex one_at_a_time;

// OpenBLAS, where the system's BLAS is that, divides sums among threads of its own, and results would follow their
// number.
void keep_blas_to_one_thread() {
  using SetThreads = void (*)(int);
  static const auto set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (set != nullptr) set(1);
}

class CholmodFactorization final : public Factorization {
 public:
  CholmodFactorization() {
    keep_blas_to_one_thread();
    cholmod_start(&common_);
    common_.print = 0;
    common_.final_ll = 1;  // L L': L D L' would accept negative pivots
  }
  ~CholmodFactorization() override {
    cholmod_free_dense(&solution_, &common_);
    cholmod_free_dense(&work_, &common_);
    cholmod_free_dense(&more_work_, &common_);
    cholmod_free_factor(&factor_, &common_);
    cholmod_finish(&common_);
  }
  CholmodFactorization(const CholmodFactorization&) = delete;
  CholmodFactorization& operator=(const CholmodFactorization&) = delete;

  std::string_view name() const override { return "CHOLMOD"; }
  std::int64_t factor_entries() const override { return factor_entries_; }

  void analyze(const SymmetricMatrix& a) override {
    cholmod_free_factor(&factor_, &common_);
    cholmod_sparse view = view_of(a);
    factor_ = cholmod_analyze(&view, &common_);
    require_success("analysing");
    factor_entries_ = static_cast<std::int64_t>(common_.lnz);
  }

  FactorReport factor(const SymmetricMatrix& a) override {
    const std::scoped_lock lock(one_at_a_time);
    cholmod_sparse view = view_of(a);
    cholmod_factorize(&view, factor_, &common_);
    require_success("factoring");
    FactorReport report;
    report.ok = factor_->minor == factor_->n;
    if (!report.ok) report.bad_pivot = static_cast<const std::int32_t*>(factor_->Perm)[factor_->minor];
    return report;
  }

  void solve(std::span<double> x) override {
    const std::scoped_lock lock(one_at_a_time);
    cholmod_dense right{};
    right.nrow = right.nzmax = right.d = x.size();
    right.ncol = 1;
    right.x = x.data();
    right.xtype = CHOLMOD_REAL;
    right.dtype = CHOLMOD_DOUBLE;
    cholmod_solve2(CHOLMOD_A, factor_, &right, nullptr, &solution_, nullptr, &work_, &more_work_, &common_);
    require_success("solving");
    std::copy_n(static_cast<const double*>(solution_->x), x.size(), x.data());
  }

 private:
  // CHOLMOD takes pointers to non-const and does not write through these.
  static cholmod_sparse view_of(const SymmetricMatrix& a) {
    cholmod_sparse view{};
    view.nrow = view.ncol = static_cast<std::size_t>(a.size());
    view.nzmax = a.values().size();
    view.p = const_cast<std::int32_t*>(a.starts().data());
    view.i = const_cast<std::int32_t*>(a.rows().data());
    view.x = const_cast<double*>(a.values().data());
    view.stype = -1;  // lower triangle
    view.itype = CHOLMOD_INT;
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    view.sorted = view.packed = 1;
    return view;
  }

  void require_success(const char* doing) const {
    if (common_.status >= CHOLMOD_OK) return;  // above: warnings, such as "not positive definite"
    YMIR_CHECK(common_.status != CHOLMOD_INVALID);
    const bool too_large = common_.status == CHOLMOD_TOO_LARGE || common_.status == CHOLMOD_OUT_OF_MEMORY;
    throw Error(ExitCode::numerical, std::string("direct solver: CHOLMOD failed in ") + doing + " (status " +
                                         std::to_string(common_.status) + ")" +
                                         (too_large ? ": the factor does not fit; use the iterative solver" : ""));
  }

  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense *solution_ = nullptr, *work_ = nullptr, *more_work_ = nullptr;  // kept between solves
  std::int64_t factor_entries_ = 0;
};

}  // namespace

bool has_cholmod() { return true; }
std::unique_ptr<Factorization> make_cholmod() { return std::make_unique<CholmodFactorization>(); }

}  // namespace ymir

#else

namespace ymir {

bool has_cholmod() { return false; }
std::unique_ptr<Factorization> make_cholmod() { return nullptr; }

}  // namespace ymir

#endif
