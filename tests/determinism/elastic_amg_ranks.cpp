// Conjugate gradients and smoothed aggregation of an elastic beam with rows shared by ranks. Every case is also solved
// by every rank alone: the shared solve must reach the tolerance on the whole matrix, agree with the other solution and
// need few more iterations. The lines printed must be the same for any number of threads (same_for_threads.cmake
// compares them).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "elastic_problems.h"
#include "ymir/base/hash.h"
#include "ymir/parallel/bytes.h"
#include "ymir/solvers/conjugate_gradient.h"
#include "ymir/solvers/elastic_amg/hierarchy.h"

namespace ymir {
namespace {

using elastic_amg::Hierarchy;
using elastic_amg::Index;
using elastic_amg::SharedRows;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Nodes by their place along the beam: a rank has a piece of it.
std::vector<Index> along_the_beam(const ElasticBeam& beam) {
  std::vector<Index> order(beam.positions.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return beam.positions[at(a)].x < beam.positions[at(b)].x; });
  return order;
}

// A rank without any rows when uneven.
std::size_t first_row(std::size_t rows, int rank, int ranks, bool uneven) {
  if (uneven && ranks > 1) return rank <= 1 ? 0 : rows * at(rank - 1) / at(ranks - 1);
  return rows * at(rank) / at(ranks);
}

std::unique_ptr<SharedRows> share_of(const ElasticBeam& beam, std::span<const Index> order,
                                     std::span<const Index> first, Communicator& world) {
  std::vector<Index> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[at(order[k])] = static_cast<Index>(k);
  const elastic_amg::SymmetricRows rows(beam.matrix);
  amg::GhostNumbers numbers({first.begin(), first.end()}, world.rank());
  std::vector<Index> starts{0}, columns;
  std::vector<double> values;
  for (Index k = first[at(world.rank())]; k < first[at(world.rank()) + 1]; ++k) {
    const Index i = order[at(k)];
    std::vector<std::pair<Index, Index>> entries;  // column here, entry there
    for (Index e = rows.starts()[at(i)]; e < rows.starts()[at(i) + 1]; ++e)
      entries.emplace_back(numbers.local(place[at(rows.columns()[at(e)])]), e);
    std::sort(entries.begin(), entries.end());
    for (const auto& [column, e] : entries) {
      columns.push_back(column);
      const double* b = rows.block(beam.matrix, at(e));
      const bool by_rows = rows.columns()[at(e)] <= i;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) values.push_back(by_rows ? b[3 * r + c] : b[3 * c + r]);
    }
    starts.push_back(static_cast<Index>(columns.size()));
  }
  auto shared = std::make_unique<SharedRows>(world, std::move(starts), std::move(columns), numbers);
  std::copy(values.begin(), values.end(), shared->block(0));
  return shared;
}

bool solve_case(const char* name, const ElasticBeam& beam, bool uneven, Communicator& world) {
  const std::vector<Index> order = along_the_beam(beam);
  std::vector<Index> first;
  for (int r = 0; r <= world.size(); ++r)
    first.push_back(static_cast<Index>(first_row(order.size(), r, world.size(), uneven)));
  const CgOptions options{1e-8, 0, 400};

  std::vector<double> whole_b(3 * order.size(), 0), alone_x(whole_b.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (!beam.held[i]) whole_b[3 * i + 1] = -1;
  Hierarchy alone;
  alone.analyze(beam.matrix);
  CgWorkspace workspace;
  if (!alone.refresh(beam.matrix, beam.positions)) return false;
  const CgReport before = conjugate_gradient(
      [&](std::span<const double> x, std::span<double> y) { alone.rows().multiply(beam.matrix, x, y); },
      [&](std::span<const double> r, std::span<double> z) { alone.apply(r, z); }, whole_b, alone_x, workspace, options);

  const std::unique_ptr<SharedRows> part_of_all = share_of(beam, order, first, world);
  SharedRows& shared = *part_of_all;
  std::vector<Vec3d> positions;
  std::vector<double> b;
  for (Index k = first[at(world.rank())]; k < first[at(world.rank()) + 1]; ++k) {
    positions.push_back(beam.positions[at(order[at(k)])]);
    for (std::size_t c = 0; c < 3; ++c) b.push_back(whole_b[3 * at(order[at(k)]) + c]);
  }
  std::vector<double> x(b.size(), 0);
  Hierarchy h;
  h.analyze(shared);
  bool good = h.refresh(shared, positions) && h.refresh(shared, positions);  // made, then refreshed
  CgWorkspace mine;
  const CgReport report =
      conjugate_gradient([&](std::span<const double> p, std::span<double> q) { shared.multiply(p, q); },
                         [&](std::span<const double> r, std::span<double> z) { h.apply(r, z); }, b, x, mine, options,
                         [&](std::span<const double> p, std::span<const double> q) { return shared.inner(p, q); });

  std::vector<double> all;
  for (const Bytes& bytes : world.all_gather(std::as_bytes(std::span<const double>(x)))) {
    const auto part = from_bytes<double>(bytes);
    all.insert(all.end(), part.begin(), part.end());
  }
  std::vector<double> by_node(all.size()), product(all.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    for (std::size_t c = 0; c < 3; ++c) by_node[3 * at(order[k]) + c] = all[3 * k + c];
  beam.matrix.multiply(by_node.data(), product.data());
  double off = 0, size = 0, apart = 0, most = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    off += (product[i] - whole_b[i]) * (product[i] - whole_b[i]);
    size += whole_b[i] * whole_b[i];
    apart = std::max(apart, std::fabs(by_node[i] - alone_x[i]));
    most = std::max(most, std::fabs(alone_x[i]));
  }
  good = good && report.converged && before.converged && std::sqrt(off / size) < 1.1e-8 && apart < 1e-5 * most &&
         report.iterations <= 2 * before.iterations + 5;
  if (world.root())
    fmt::print("{}{}: {} iterations, {} alone, {} levels, residual {:.1e}, apart {:.1e}, {:016x}{}\n", name,
               uneven ? ", uneven" : "", report.iterations, before.iterations, h.levels(), std::sqrt(off / size),
               apart / most, hash_bytes(std::as_bytes(std::span<const double>(all))), good ? "" : " FAILED");
  return world.all(good);
}

}  // namespace
}  // namespace ymir

int main() {
  using namespace ymir;
  Communicator& world = Communicator::world();
  bool good = true;
  for (const double nu : {0.3, 0.45})
    for (const bool uneven : {false, true}) {
      ElasticBeam beam;
      beam.across = 8;
      beam.nu = nu;
      beam.inertia = 1e-6;
      beam.build();
      good = solve_case(nu < 0.4 ? "beam" : "near incompressible", beam, uneven, world) && good;
    }
  ElasticBeam jump;
  jump.across = 9;
  jump.inertia = 1e-6;
  jump.young = [](Vec3d x) { return static_cast<int>(x.x / 0.03) % 2 == 0 ? 1e5 : 1e9; };
  jump.build();
  good = solve_case("jumps", jump, false, world) && good;
  ElasticBeam small;
  small.across = 1;
  small.build();
  good = solve_case("few nodes", small, false, world) && good;
  return good ? 0 : 1;
}
