#include "ymir/solvers/amg/root_rows.h"

namespace ymir::amg {

CsrMatrix gathered(const CsrMatrix& local, const Halo& halo) {
  Communicator& c = halo.communicator();
  const GhostNumbers numbers = halo.numbers();
  std::vector<Index> counts, columns;
  for (std::size_t i = 1; i < local.starts.size(); ++i) counts.push_back(local.starts[i] - local.starts[i - 1]);
  for (const Index column : local.columns) columns.push_back(numbers.global(column));
  CsrMatrix all;
  for (const Index count : gathered(c, std::span<const Index>(counts))) all.starts.push_back(all.starts.back() + count);
  all.columns = gathered(c, std::span<const Index>(columns));
  all.values = gathered(c, std::span<const float>(local.values));
  all.exact = gathered(c, std::span<const double>(local.exact));
  all.row_sums = gathered(c, std::span<const double>(local.row_sums));
  return all;
}

}  // namespace ymir::amg
