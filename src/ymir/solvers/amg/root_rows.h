// Systems and vectors that rank 0 takes over from all ranks: small coarse levels, and what is solved directly.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "ymir/parallel/bytes.h"
#include "ymir/solvers/amg/csr_matrix.h"
#include "ymir/solvers/amg/halo.h"

namespace ymir::amg {

// All ranks' values in their order, on rank 0. Collective.
template <class T>
std::vector<T> gathered(Communicator& communicator, std::span<const T> local) {
  std::vector<T> all;
  for (const Bytes& part : communicator.gather(std::as_bytes(local))) {
    const std::vector<T> values = from_bytes<T>(part);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

// The matrix of all ranks, on rank 0. Collective.
CsrMatrix gathered(const CsrMatrix& local, const Halo& halo);

// Vectors to rank 0 and back, many times; nothing is allocated for it. Collective.
template <class T>
class RootRows {
 public:
  RootRows(Communicator& communicator, const std::vector<Index>& first_rows)
      : communicator_(&communicator), first_rows_(first_rows) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    rows_ = static_cast<std::size_t>(first_rows[rank + 1] - first_rows[rank]);
    std::vector<Communicator::Message> here, there;
    if (communicator.root()) {
      all_.resize(static_cast<std::size_t>(first_rows.back()));
      for (int r = 1; r < communicator.size(); ++r)
        if (const std::span<T> part = part_of(r); !part.empty()) here.push_back({r, std::as_writable_bytes(part)});
    } else if (rows_ > 0) {
      mine_.resize(rows_);
      there.push_back({0, std::as_writable_bytes(std::span(mine_))});
    }
    gather_ = communicator.repeated_exchange(there, here);
    scatter_ = communicator.repeated_exchange(here, there);
  }

  // The rows of all ranks; written by gather(), read by scatter(). On rank 0.
  std::span<T> all() { return all_; }
  void gather(std::span<const T> mine) {
    std::copy_n(mine.begin(), rows_, here().begin());
    gather_->start();
    gather_->finish();
  }
  void scatter(std::span<T> mine) {
    scatter_->start();
    scatter_->finish();
    std::copy_n(here().begin(), rows_, mine.begin());
  }
  std::size_t bytes() const { return sizeof(T) * (all_.size() + mine_.size()); }

 private:
  std::span<T> part_of(int rank) {
    const auto r = static_cast<std::size_t>(rank);
    return std::span(all_).subspan(static_cast<std::size_t>(first_rows_[r]),
                                   static_cast<std::size_t>(first_rows_[r + 1] - first_rows_[r]));
  }
  std::span<T> here() { return communicator_->root() ? part_of(0) : std::span<T>(mine_); }

  Communicator* communicator_;
  std::vector<Index> first_rows_;
  std::size_t rows_;
  std::vector<T> all_, mine_;
  std::unique_ptr<Communicator::RepeatedExchange> gather_, scatter_;
};

}  // namespace ymir::amg
