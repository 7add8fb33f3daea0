#include "ymir/solvers/coulomb/schwarz.h"

#include <memory>

#include "ymir/solvers/coulomb/newton.h"

namespace ymir::coulomb {
namespace {

constexpr std::size_t block_size = 12;

// Adds neighbours in W's graph of members [0, of), nearest first, until there are `most`.
void grow(const System& s, std::vector<std::int32_t>& members, std::vector<std::int32_t>& owner, std::int32_t mark,
          bool to_the_end, std::size_t most) {
  const std::size_t of = members.size();
  for (std::size_t h = 0; h < (to_the_end ? members.size() : of) && members.size() < most; ++h)
    for (std::int64_t k = s.starts[members[h]]; k < s.starts[members[h] + 1] && members.size() < most; ++k)
      if (std::int32_t& o = owner[s.columns[k]]; to_the_end ? o < 0 : o != mark) {
        o = mark;
        members.push_back(s.columns[k]);
      }
}

System part_of(const System& s, const std::vector<std::int32_t>& members, std::vector<std::int32_t>& local) {
  System part;
  part.contacts = static_cast<std::int32_t>(members.size());
  part.size = s.size;
  part.largest = s.largest;
  part.starts.push_back(0);
  for (std::size_t a = 0; a < members.size(); ++a) local[members[a]] = static_cast<std::int32_t>(a);
  for (const std::int32_t i : members) {
    for (std::int64_t k = s.starts[i]; k < s.starts[i + 1]; ++k) {
      if (local[s.columns[k]] < 0) continue;
      if (s.columns[k] == i) part.diagonal.push_back(static_cast<std::int64_t>(part.blocks.size()));
      part.columns.push_back(local[s.columns[k]]);
      part.blocks.push_back(s.blocks[k]);
    }
    part.starts.push_back(static_cast<std::int64_t>(part.blocks.size()));
    part.mu.push_back(s.mu[i]);
    part.weight.push_back(s.weight[i]);
    part.q.push_back(Lane::all(0));
  }
  for (const std::int32_t i : members) local[i] = -1;
  return part;
}

// A block of contacts with all it takes to solve it. Not moved: its parts know each other.
struct Part {
  std::vector<std::int32_t> members;
  System system;
  BlockLu lu;
  Sweeper sweeper;
  Newton newton;
  Vector r, before, q, u;

  Part(const System& s, std::vector<std::int32_t> contacts, std::vector<std::int32_t>& local)
      : members(std::move(contacts)),
        system(part_of(s, members, local)),
        lu(system),
        sweeper(system, {.tolerance = 1e-10}),
        newton(system, lu, sweeper) {
    for (Vector* v : {&r, &before, &q, &u}) v->resize(members.size());
  }
  void solve(const System& s, Vector& all, Progress& progress);
};

void Part::solve(const System& s, Vector& all, Progress& progress) {
  constexpr double shift = 1e-9;  // blocks of rigid bodies are singular
  constexpr auto function = ContactFunction::fischer_burmeister;
  clear(q);
  for (std::size_t a = 0; a < members.size(); ++a) r[a] = all[members[a]];
  system.velocities(r, q, 0, u);  // of the block alone
  for (std::size_t a = 0; a < members.size(); ++a) {
    const std::int32_t i = members[a];
    Lane v = s.q[i];
    for (std::int64_t k = s.starts[i]; k < s.starts[i + 1]; ++k) v = multiply_add(s.blocks[k], all[s.columns[k]], v);
    q[a] = v - u[a];
    u[a] = v;
  }
  const double f = newton.residual(function, r, u);
  if (f < 1e-13) return;
  before = r;
  const NewtonOptions options{.function = function, .most_steps = 15, .rescue_sweeps = 3};
  newton.run(r, q, shift, options, progress, [&](const Vector& z, const Vector& v) {
    return newton.residual(function, z, v) < std::max(1e-13, 1e-3 * f);
  });
  system.velocities(r, q, 0, u);
  if (!(newton.residual(function, r, u) <= 1.0001 * f)) {
    r = before;
    for (int k = 0; k < 5; ++k, ++progress.sweeps) sweeper.sweep(r, q, 0, k % 2 == 1);
  }
  for (std::size_t a = 0; a < members.size(); ++a) all[members[a]] = r[a];
}

}  // namespace

void schwarz(const System& system, Vector r, int most_rounds, Progress& progress) {
  const auto n = static_cast<std::size_t>(system.contacts);
  std::vector<std::int32_t> owner(n, -1), member(n, -1), local(n, -1);
  std::vector<std::unique_ptr<Part>> parts;
  for (std::int32_t i = 0; i < system.contacts; ++i) {
    if (owner[i] >= 0) continue;
    const auto mark = static_cast<std::int32_t>(parts.size());
    std::vector<std::int32_t> members{i};
    owner[i] = mark;
    grow(system, members, owner, mark, true, block_size);
    for (const std::int32_t m : members) member[m] = mark;
    grow(system, members, member, mark, false, 2 * block_size);
    parts.push_back(std::make_unique<Part>(system, std::move(members), local));
  }
  for (int round = 0; round < most_rounds && !progress.over(); ++round) {
    for (const std::unique_ptr<Part>& part : parts) part->solve(system, r, progress);
    progress.offer(r);
  }
}

}  // namespace ymir::coulomb
