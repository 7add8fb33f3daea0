#include "ymir/solvers/elastic_amg/shared_rows.h"

#include <algorithm>

#include "ymir/solvers/conjugate_gradient.h"

namespace ymir::elastic_amg {

SharedRows::SharedRows(Communicator& communicator, std::vector<Index> starts, std::vector<Index> columns,
                       const amg::GhostNumbers& numbers)
    : starts_(std::move(starts)),
      columns_(std::move(columns)),
      values_(9 * columns_.size(), 0),
      numbers_(numbers),
      halo_(communicator, numbers, 3),
      x_(3 * at(numbers.columns()), 0) {}

void SharedRows::multiply(std::span<const double> x, std::span<double> y) {
  std::copy(x.begin(), x.end(), x_.begin());
  halo_.scalars().fetch(x_.data(), x_.data() + 3 * at(rows()));
  each_row(rows(), [&](Index i) {
    double sum[3] = {0, 0, 0};
    for (Index k = starts_[at(i)]; k < starts_[at(i) + 1]; ++k) {
      const double *b = block(k), *from = x_.data() + 3 * at(columns_[at(k)]);
      for (int r = 0; r < 3; ++r) sum[r] += b[3 * r] * from[0] + b[3 * r + 1] * from[1] + b[3 * r + 2] * from[2];
    }
    std::copy_n(sum, 3, y.data() + 3 * at(i));
  });
}

double SharedRows::inner(std::span<const double> a, std::span<const double> b) const {
  return communicator().ordered_sum(InnerProduct{}(a, b));
}

}  // namespace ymir::elastic_amg
