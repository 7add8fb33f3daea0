// A matrix by rows, shared by ranks: each has consecutive rows of it.
#pragma once

#include <memory>
#include <span>

#include "ymir/solvers/amg/csr_matrix.h"
#include "ymir/solvers/amg/halo.h"

namespace ymir {

class DistributedMatrix {
 public:
  // This rank's rows; columns count over all ranks. Collective.
  void set(Communicator& communicator, CsrMatrix rows) {
    local_ = std::move(rows);
    halo_.reset();
    ghosts_.clear();
    if (communicator.size() == 1) return;
    amg::GhostNumbers numbers(amg::first_rows_of(communicator, local_.rows()), communicator.rank());
    for (std::int32_t& column : local_.columns) column = numbers.local(column);
    halo_ = std::make_unique<amg::Halo>(communicator, numbers);
    ghosts_.resize(static_cast<std::size_t>(halo_->count()));
  }
  // Other values in the same structure.
  void set_values(CsrMatrix rows) {
    YMIR_CHECK(rows.values.size() == local_.columns.size() && rows.row_sums.size() == local_.row_sums.size());
    local_.values = std::move(rows.values);
    local_.exact = std::move(rows.exact);
    local_.row_sums = std::move(rows.row_sums);
  }

  const CsrMatrix& local() const { return local_; }  // columns of other ranks' rows from rows() on, as in halo()
  amg::Halo* halo() const { return halo_.get(); }    // none: one rank
  std::int64_t all_rows() const { return halo_ ? halo_->all_rows() : local_.rows(); }

  // y = A x of this rank's rows. Collective.
  void multiply(std::span<const double> x, std::span<double> y) {
    if (!halo_) {
      local_.multiply(x, y);
      return;
    }
    halo_->fetch(x.data(), ghosts_.data());
    const std::int32_t rows = local_.rows();
    local_.multiply(x, y, [rows, own = x.data(), ghosts = ghosts_.data()](std::int32_t j) {
      return j < rows ? own[j] : ghosts[j - rows];
    });
  }
  std::size_t bytes() const { return local_.bytes() + 8 * ghosts_.size() + (halo_ ? halo_->bytes() : 0); }

 private:
  CsrMatrix local_;
  std::unique_ptr<amg::Halo> halo_;
  std::vector<double> ghosts_;
};

}  // namespace ymir
