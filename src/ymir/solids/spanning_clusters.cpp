#include "ymir/solids/spanning_clusters.h"

#include <algorithm>

#include "ymir/parallel/threads.h"

namespace ymir {

void SpanningClusters::clear() {
  homes_.clear();
  lent_.clear();
  shared_.clear();
}

Cluster& SpanningClusters::add_home() { return *homes_.emplace_back().cluster; }

std::unique_ptr<ClusterMember> SpanningClusters::add_remote(int rank) {
  auto member = std::make_unique<RemoteMember>();
  homes_.back().remote.emplace_back(rank, member.get());
  return member;
}

std::unique_ptr<LocalMember> SpanningClusters::add_lead(std::unique_ptr<SolidBlock> block) {
  auto member = std::make_unique<LeadMember>(std::move(block));
  for (int rank = 0; rank < communicator_->size(); ++rank)
    if (rank != communicator_->rank()) homes_.back().remote.emplace_back(rank, &member->add_share());
  shared_.push_back({member.get(), homes_.size() - 1});
  return member;
}

int SpanningClusters::lend(int home, std::unique_ptr<SolidBlock> block) {
  lent_.push_back({home, LentMember(std::move(block), false)});
  return static_cast<int>(lent_.size()) - 1;
}

int SpanningClusters::lend_share(int home, std::unique_ptr<SolidBlock> block) {
  lent_.push_back({home, LentMember(std::move(block), true)});
  shared_.push_back({nullptr, lent_.size() - 1});
  return static_cast<int>(lent_.size()) - 1;
}

template <class Write, class Read>
void SpanningClusters::to_home(Who who, Write&& write, Read&& read) {
  std::vector<Bytes> out(static_cast<std::size_t>(communicator_->size()));
  for (Lent& lent : lent_) {
    if (who == Who::active && !lent.active) continue;
    MessageWriter message(out[static_cast<std::size_t>(lent.home)]);
    write(lent, message);
  }
  const std::vector<Bytes> in = communicator_->all_to_all(std::move(out));
  std::vector<MessageReader> messages(in.begin(), in.end());
  for (Home& home : homes_)
    if (who == Who::all || home.active)
      for (const auto& [rank, member] : home.remote) read(home, *member, messages[static_cast<std::size_t>(rank)]);
}

template <class Write, class Read>
void SpanningClusters::to_owners(Write&& write, Read&& read) {
  std::vector<Bytes> out(static_cast<std::size_t>(communicator_->size()));
  for (Home& home : homes_)
    if (home.active)
      for (const auto& [rank, member] : home.remote) {
        MessageWriter message(out[static_cast<std::size_t>(rank)]);
        write(home, *member, message);
      }
  const std::vector<Bytes> in = communicator_->all_to_all(std::move(out));
  std::vector<MessageReader> messages(in.begin(), in.end());
  for (Lent& lent : lent_)
    if (lent.active) read(lent, messages[static_cast<std::size_t>(lent.home)]);
}

template <class F>
void SpanningClusters::for_each_lent(F&& f) {
  parallel_for(std::ssize(lent_), [&](std::ptrdiff_t k) {
    if (lent_[static_cast<std::size_t>(k)].active) f(lent_[static_cast<std::size_t>(k)]);
  });
}

void SpanningClusters::exchange_points(Who who) {
  to_home(
      who, [](Lent& lent, MessageWriter& out) { lent.member.write_points(out); },
      [](Home&, Correspondent& member, MessageReader& in) { member.read_points(in); });
}

// Forces of couplings to the blocks, their residuals back; clusters that are done are no longer active.
void SpanningClusters::judge() {
  std::vector<double> violations;
  for (Home& home : homes_) violations.push_back(home.active ? home.cluster->evaluate() : 0);
  to_owners(
      [&](Home& home, Correspondent& member, MessageWriter& out) {
        out.put(violations[static_cast<std::size_t>(&home - homes_.data())]);
        member.write_forces(out);
      },
      [](Lent& lent, MessageReader& in) {
        lent.violation = in.get<double>();
        lent.member.read_forces(in);
      });
  to_home(
      Who::active, [](Lent& lent, MessageWriter& out) { out.put(lent.member.member().residual(lent.violation)); },
      [](Home&, Correspondent& member, MessageReader& in) { member.read_residual(in); });
  for (Home& home : homes_)
    if (home.active) home.cluster->judge();
  tell_active();
}

void SpanningClusters::tell_active() {
  to_owners([](Home& home, Correspondent&, MessageWriter& out) { out.put(home.cluster->running()); },
            [](Lent& lent, MessageReader& in) { lent.active = in.get<bool>(); });
  for (Home& home : homes_) home.active = home.active && home.cluster->running();
}

// Of those that are wanted: all at first, then those whose whole matrix is indefinite.
void SpanningClusters::try_solve(bool definite) {
  std::vector<char> prepared(lent_.size());
  for_each_lent([&](Lent& lent) {
    if (lent.wanted)
      prepared[static_cast<std::size_t>(&lent - lent_.data())] = lent.member.member().prepare(definite) ? 1 : 0;
  });
  to_home(
      Who::active,
      [&](Lent& lent, MessageWriter& out) {
        if (lent.wanted) lent.member.write_matrix(out, prepared[static_cast<std::size_t>(&lent - lent_.data())] != 0);
      },
      [](Home& home, Correspondent& member, MessageReader& in) {
        if (home.solved == Cluster::Solved::indefinite) member.read_matrix(in);
      });
  // Blocks that all ranks share one after the other.
  std::vector<char> done(homes_.size());
  for (const Shared& shared : shared_) {
    if (shared.lead == nullptr) {
      Lent& lent = lent_[shared.index];
      if (lent.active && lent.wanted) lent.member.member().block().assist();
      continue;
    }
    Home& home = homes_[shared.index];
    done[shared.index] = 1;
    if (!home.active || home.solved != Cluster::Solved::indefinite) continue;
    solve_home(home, definite);
    shared.lead->block().dismiss();
  }
  for (std::size_t h = 0; h < homes_.size(); ++h)
    if (done[h] == 0 && homes_[h].active && homes_[h].solved == Cluster::Solved::indefinite)
      solve_home(homes_[h], definite);
  to_owners(
      [](Home& home, Correspondent&, MessageWriter& out) { out.put(home.solved); },
      [](Lent& lent, MessageReader& in) { lent.wanted = in.get<Cluster::Solved>() == Cluster::Solved::indefinite; });
}

void SpanningClusters::solve_home(Home& home, bool definite) {
  home.solved = home.cluster->prepare(definite) ? home.cluster->solve_whole(definite) : Cluster::Solved::no;
}

void SpanningClusters::solve() {
  for (Lent& lent : lent_) lent.wanted = true;
  for (Home& home : homes_) home.solved = Cluster::Solved::indefinite;
  try_solve(false);
  const auto left = [](const Home& home) { return home.active && home.solved == Cluster::Solved::indefinite; };
  if (communicator_->any(std::any_of(homes_.begin(), homes_.end(), left))) try_solve(true);
  for (Home& home : homes_)
    if (home.active && home.solved != Cluster::Solved::yes) home.cluster->fail();
  tell_active();
}

void SpanningClusters::step() {
  to_owners([](Home&, Correspondent& member, MessageWriter& out) { member.write_solution(out); },
            [](Lent& lent, MessageReader& in) { lent.member.read_solution(in); });
  for_each_lent([](Lent& lent) { lent.member.member().set_step(); });
  for (Home& home : homes_)
    if (home.active) home.cluster->set_steps();
  to_home(
      Who::active, [](Lent& lent, MessageWriter& out) { lent.member.write_step(out); },
      [](Home&, Correspondent& member, MessageReader& in) { member.read_step(in); });
  std::vector<double> shares;
  for (Home& home : homes_) shares.push_back(home.active ? home.cluster->choose_share() : 0);
  to_owners([&](Home& home, Correspondent&,
                MessageWriter& out) { out.put(shares[static_cast<std::size_t>(&home - homes_.data())]); },
            [](Lent& lent, MessageReader& in) { lent.share = in.get<double>(); });
  for_each_lent([](Lent& lent) { lent.member.member().move(lent.share); });
  for (Home& home : homes_)
    if (home.active) home.cluster->move(shares[static_cast<std::size_t>(&home - homes_.data())]);
}

void SpanningClusters::advance(const Step& step) {
  for (Lent& lent : lent_) lent.active = true;
  for (Home& home : homes_) home.active = true;
  for_each_lent([&](Lent& lent) { lent.member.member().begin(step); });
  for (Home& home : homes_) home.cluster->begin(step);
  to_home(
      Who::all, [](Lent& lent, MessageWriter& out) { lent.member.write_structure(out); },
      [](Home&, Correspondent& member, MessageReader& in) { member.read_structure(in); });
  exchange_points(Who::all);
  for_each_lent([](Lent& lent) { lent.member.member().block().place(); });
  for (Home& home : homes_) {
    home.cluster->begin_elements();
    home.cluster->place();
  }
  const auto any_active = [&] {
    return communicator_->any(std::any_of(homes_.begin(), homes_.end(), [](const Home& h) { return h.active; }));
  };
  while (any_active()) {
    for (const Shared& shared : shared_) {
      if (shared.lead == nullptr && lent_[shared.index].active) lent_[shared.index].member.member().block().consult();
      if (shared.lead != nullptr && homes_[shared.index].active) shared.lead->block().consult();
    }
    for_each_lent([](Lent& lent) { lent.member.member().block().assemble(); });
    for (Home& home : homes_)
      if (home.active) home.cluster->assemble();
    exchange_points(Who::active);
    judge();
    solve();
    this->step();
  }
  exchange_points(Who::all);
  for (Home& home : homes_) home.cluster->end();
  for (Lent& lent : lent_) lent.member.member().block().end();
}

std::vector<Cluster::Outcome> SpanningClusters::outcomes() const {
  std::vector<Cluster::Outcome> all;
  for (const Home& home : homes_) all.push_back(home.cluster->outcome());
  return all;
}

}  // namespace ymir
