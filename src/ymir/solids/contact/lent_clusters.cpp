#include "ymir/solids/contact/lent_clusters.h"

#include <algorithm>
#include <utility>

#include "ymir/parallel/letters.h"
#include "ymir/parallel/threads.h"
#include "ymir/solids/contact/contact_island.h"

namespace ymir {

int LentClusters::add(Cluster& cluster) {
  clusters_.push_back({&cluster, {}, {}});
  return static_cast<int>(clusters_.size()) - 1;
}

void LentClusters::add_side(std::size_t contact, int side, int cluster, const Cluster::Held& at) {
  sides_.push_back({contact, side, cluster, at});
}

template <class F>
void LentClusters::for_each(F&& f) {
  parallel_for(std::ssize(clusters_), [&](std::ptrdiff_t c) { f(clusters_[static_cast<std::size_t>(c)]); });
}

void LentClusters::begin(const Step& step, const ContactScene& scene, MessageWriter& out) {
  dt_ = step.dt;
  measured_ = false;
  for_each([&](Lent& c) {
    ContactIsland::begin(*c.cluster, step);
    c.contacts.emplace(*c.cluster);
    c.given.clear();
  });
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    const NodalBody& body = this->body(c);
    std::vector<NodeMetric> metric(static_cast<std::size_t>(body.nodes()));
    body.describe(metric);
    out.put_list(metric);
    std::vector<std::int32_t> first;
    for (int piece = 0; piece <= body.pieces(); ++piece) first.push_back(body.first_node(piece));
    out.put_list(first);
    out.put(body.adapt());
    out.put(body.exact());
    out.put(body.threaded());
  }
  std::vector<NodeShare> shares;
  for (const Side& side : sides_) {
    shares.clear();
    const Contact& contact = scene.contacts()[side.contact];
    ContactIsland::follow(scene, contact, side.side, side.at,
                          *clusters_[static_cast<std::size_t>(side.cluster)].contacts, shares);
    out.put_list(shares);
  }
}

void LentClusters::assemble(MessageWriter& out) {
  for_each([&](Lent& c) {
    c.cluster->assemble();
    c.cluster->evaluate();
    if (!c.given.empty()) c.contacts->push(c.given, 1 / dt_);
    c.cluster->judge();
  });
  std::vector<Vec3d> ways;
  for (Lent& c : clusters_) {
    const Cluster::Outcome& o = c.cluster->outcome();
    out.put(c.cluster->running());
    out.put(o.converged);
    out.put(o.piece_iterations);
    out.put(o.residual);
    out.put(o.worst_object);
    out.put(o.worst_piece);
    out.put(o.gap);
    out.put(o.at_odds.size());
    for (const std::string& owner : o.at_odds) out.put_list(std::vector<char>(owner.begin(), owner.end()));
    ways.clear();
    for (std::int32_t node = 0; node < c.contacts->body().nodes(); ++node) ways.push_back(c.contacts->way(node));
    out.put(std::span<const Vec3d>(ways));
  }
}

void LentClusters::prepare(MessageWriter& out) {
  std::vector<char> good(clusters_.size());
  for_each([&](Lent& c) {
    c.cluster->keep_on();
    bool ok = c.cluster->factor();
    if (ok && !c.given.empty()) c.contacts->push(c.given, -1 / dt_);
    ok = ok && c.contacts->refresh(dt_);
    good[static_cast<std::size_t>(&c - clusters_.data())] = ok ? 1 : 0;
  });
  const bool all = std::all_of(good.begin(), good.end(), [](char g) { return g != 0; });
  out.put(all);
  if (all && !std::exchange(measured_, true)) measure(out);
}

void LentClusters::measure(MessageWriter& out) {
  std::vector<std::vector<NodeMetric>> metric(clusters_.size());
  std::vector<char> told(clusters_.size());
  for_each([&](Lent& c) {
    const auto k = static_cast<std::size_t>(&c - clusters_.data());
    metric[k].resize(static_cast<std::size_t>(body(k).nodes()));
    body(k).describe(metric[k]);
    told[k] = body(k).measure(metric[k]) ? 1 : 0;
  });
  for (std::size_t k = 0; k < metric.size(); ++k) {
    out.put(told[k] != 0);
    out.put(std::span<const NodeMetric>(metric[k]));
  }
}

void LentClusters::solve(bool metric, MessageReader& in, MessageWriter& out) {
  constexpr std::size_t worth_threads = 4096;  // nodes
  std::vector<std::uint32_t> asked;
  std::size_t nodes = 0;
  bool threaded = false;
  vectors_.resize(clusters_.size());
  while (!in.done()) {
    const auto c = in.get<std::uint32_t>();
    asked.push_back(c);
    vectors_[c].resize(static_cast<std::size_t>(body(c).nodes()));
    in.get(std::span<NodeVector>(vectors_[c]));
    nodes += vectors_[c].size();
    threaded = threaded || body(c).threaded();
  }
  const auto one = [&](std::uint32_t c) {
    if (metric)
      body(c).solve_metric(vectors_[c].data());
    else
      body(c).solve(vectors_[c].data());
  };
  if (threaded || nodes < worth_threads)
    for (const std::uint32_t c : asked) one(c);
  else
    parallel_for(std::ssize(asked), [&](std::ptrdiff_t k) { one(asked[static_cast<std::size_t>(k)]); });
  for (const std::uint32_t c : asked) out.put(std::span<const NodeVector>(vectors_[c]));
}

void LentClusters::solve_many(MessageReader& in, MessageWriter& out) {
  NodalBody& own = body(in.get<std::uint32_t>());
  const auto count = in.get<int>();
  std::vector<NodeVector> x(static_cast<std::size_t>(count) * static_cast<std::size_t>(own.nodes()));
  in.get(std::span<NodeVector>(x));
  own.solve_many(x.data(), count);
  out.put(std::span<const NodeVector>(x));
}

void LentClusters::factor(MessageReader& in, MessageWriter& out) {
  std::vector<std::uint32_t> asked;
  std::vector<std::vector<double>> masses;
  while (!in.done()) {
    asked.push_back(in.get<std::uint32_t>());
    masses.emplace_back(static_cast<std::size_t>(body(asked.back()).nodes()));
    in.get(std::span<double>(masses.back()));
  }
  std::vector<char> good(asked.size());
  parallel_for(std::ssize(asked), [&](std::ptrdiff_t k) {
    const auto at = static_cast<std::size_t>(k);
    good[at] = body(asked[at]).factor(masses[at]) ? 1 : 0;
  });
  for (const char g : good) out.put(g != 0);
}

void LentClusters::move(MessageReader& in) {
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    clusters_[c].given.resize(static_cast<std::size_t>(body(c).nodes()));
    in.get(std::span<NodeVector>(clusters_[c].given));
  }
  for_each([&](Lent& c) {
    c.contacts->push(c.given, 1 / dt_);
    c.cluster->solve_step();
    c.cluster->move(c.cluster->choose_share());
  });
}

void LentClusters::serve(Communicator& communicator, const Step& step, const ContactScene& scene) {
  for (;;) {
    const Bytes message = receive_letter(communicator, home_);
    MessageReader in(message);
    Bytes answer;
    MessageWriter out(answer);
    switch (in.get<IslandRequest>()) {
      case IslandRequest::begin: begin(step, scene, out); break;
      case IslandRequest::assemble: assemble(out); break;
      case IslandRequest::prepare: prepare(out); break;
      case IslandRequest::solve: solve(false, in, out); break;
      case IslandRequest::solve_metric: solve(true, in, out); break;
      case IslandRequest::solve_many: solve_many(in, out); break;
      case IslandRequest::factor: factor(in, out); break;
      case IslandRequest::move: move(in); continue;
      case IslandRequest::end: for_each([](Lent& c) { c.cluster->end(); }); return;
    }
    const Letter back(communicator, home_, std::move(answer));
  }
}

}  // namespace ymir
