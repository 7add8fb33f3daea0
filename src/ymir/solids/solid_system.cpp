#include "ymir/solids/solid_system.h"

#include <algorithm>
#include <map>

#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/parallel/threads.h"

namespace ymir {
// An element between blocks that are here: member and block of its ends; -1 for a prescribed end.
struct SolidSystem::Link {
  Coupling* source;
  std::size_t element;
  int member[2] = {-1, -1};
  SolidObject::Seat seat[2];
};

bool SolidObject::in_cluster(int block) const { return system_ != nullptr && system_->in_cluster(this, block); }

void SolidSystem::add(SolidObject& object) {
  if (object.system() == this) return;
  object.join(this);
  members_.insert(std::upper_bound(members_.begin(), members_.end(), object.name(),
                                   [](const std::string& name, const SolidObject* m) { return name < m->name(); }),
                  &object);
}

void SolidSystem::add(std::unique_ptr<Coupling> coupling) {
  const std::string owner = coupling->owner();
  couplings_.insert(std::upper_bound(couplings_.begin(), couplings_.end(), owner,
                                     [](const std::string& name, const auto& c) { return name < c->owner(); }),
                    std::move(coupling));
}

bool SolidSystem::in_cluster(const SolidObject* object, int block) const {
  return std::binary_search(taken_.begin(), taken_.end(), std::pair(object, block));
}

void SolidSystem::schedule(Timeline& timeline) {
  timeline.add({Stage::detection,
                group(),
                Role::object,
                path(),
                "couplings of the substep and the clusters they make",
                {"position"},
                {},
                [this](const Step& step) { detect(step); }});
  timeline.add({Stage::solid_solve,
                group(),
                Role::object,
                path(),
                "backward Euler of what is coupled, Newton with one system per cluster",
                {"position", "velocity"},
                {"position", "velocity"},
                [this](const Step& step) { advance(step); }});
}

std::vector<double> SolidSystem::state() const {
  std::vector<double> values;
  for (const auto& coupling : couplings_) {
    const auto own = coupling->state();
    values.insert(values.end(), own.begin(), own.end());
  }
  return values;
}

void SolidSystem::set_state(std::span<const double> values) {
  for (const auto& coupling : couplings_) {
    const auto own = coupling->state();
    std::copy_n(values.begin(), own.size(), own.begin());
    values = values.subspan(own.size());
  }
}

ObjectState SolidSystem::checkpoint() const {
  ObjectState all{path(), "state", {}, {}};
  all.channels["couplings"] = {Place::object, Array::of(state())};
  return all;
}

void SolidSystem::restore(const ObjectState* whole) {
  if (whole == nullptr) return;
  const auto found = whole->channels.find("couplings");
  if (found == whole->channels.end() || found->second.as<double>().size() != state().size())
    throw Error(ExitCode::bad_input,
                "the checkpoint of what is coupled does not fit this setup; start again in another folder");
  set_state(found->second.as<double>());
}

std::uint64_t SolidSystem::hash() const {
  const std::vector<double> values = state();
  return values.empty() ? 0 : hash_bytes(std::as_bytes(std::span<const double>(values)));
}

std::vector<SolidSystem::Link> SolidSystem::find_links() const {
  const auto number_of = [&](const SolidObject* object) {
    return static_cast<std::size_t>(std::find(members_.begin(), members_.end(), object) - members_.begin());
  };
  std::vector<std::vector<std::int64_t>> pieces(members_.size());
  for (const auto& source : couplings_)
    for (std::size_t e = 0; e < source->size(); ++e)
      for (int end = 0; end < 2; ++end)
        if (const MaterialPoint& p = source->point(e, end); p.object != nullptr)
          pieces[number_of(p.object)].push_back(p.piece);
  std::vector<std::vector<SolidObject::Seat>> seats;
  for (std::size_t o = 0; o < members_.size(); ++o) {
    std::sort(pieces[o].begin(), pieces[o].end());
    pieces[o].erase(std::unique(pieces[o].begin(), pieces[o].end()), pieces[o].end());
    seats.push_back(members_[o]->seat(pieces[o]));
  }
  std::vector<Link> links;
  for (const auto& source : couplings_)
    for (std::size_t e = 0; e < source->size(); ++e) {
      Link link{source.get(), e, {-1, -1}, {}};
      bool present = true, ended = false, any = false;
      for (int end = 0; end < 2; ++end) {
        const MaterialPoint& p = source->point(e, end);
        if (p.object == nullptr) continue;
        const std::size_t object = number_of(p.object);
        const auto found = std::lower_bound(pieces[object].begin(), pieces[object].end(), p.piece);
        link.member[end] = static_cast<int>(object);
        link.seat[end] = seats[object][static_cast<std::size_t>(found - pieces[object].begin())];
        present = present && link.seat[end].block >= 0;
        any = any || link.seat[end].block >= 0;
        ended = ended || (link.seat[end].block < 0 && p.object->pieces_leave());
      }
      if (present) links.push_back(link);
      if (any && !present && !ended)
        throw Error(ExitCode::bad_input, "strands attached to each other are on different ranks; run on fewer ranks");
    }
  return links;
}

void SolidSystem::detect(const Step& step) {
  for (const auto& source : couplings_) source->prepare(step.time + step.dt, step.dt);
  begin_state_ = state();
  const std::vector<Link> links = find_links();
  // Blocks joined by elements.
  std::map<std::pair<int, int>, int> nodes;  // member and block
  std::vector<int> parent;
  const auto find = [&](int a) {
    while (parent[static_cast<std::size_t>(a)] != a) {
      int& above = parent[static_cast<std::size_t>(a)];
      above = parent[static_cast<std::size_t>(above)];
      a = above;
    }
    return a;
  };
  const auto node_of = [&](const Link& link, int end) {
    if (link.member[end] < 0) return -1;
    const auto [it, added] =
        nodes.try_emplace({link.member[end], link.seat[end].block}, static_cast<int>(parent.size()));
    if (added) parent.push_back(it->second);
    return it->second;
  };
  for (std::size_t m = 0; m < members_.size(); ++m)
    for (const int block : members_[m]->lone_blocks()) {
      const auto [it, added] = nodes.try_emplace({static_cast<int>(m), block}, static_cast<int>(parent.size()));
      if (added) parent.push_back(it->second);
    }
  for (const Link& link : links) {
    const int a = node_of(link, 0), b = node_of(link, 1);
    if (b >= 0) parent[static_cast<std::size_t>(find(b))] = find(a);
  }
  clusters_.clear();
  taken_.clear();
  std::vector<int> cluster_of(parent.size(), -1), slot(parent.size(), 0);
  std::vector<std::vector<std::pair<int, int>>> contents;
  for (const auto& [key, node] : nodes) {
    int& cluster = cluster_of[static_cast<std::size_t>(find(node))];
    if (cluster < 0) {
      cluster = static_cast<int>(clusters_.size());
      clusters_.emplace_back();
      contents.emplace_back();
    }
    SolidObject* object = members_[static_cast<std::size_t>(key.first)];
    slot[static_cast<std::size_t>(node)] =
        clusters_[static_cast<std::size_t>(cluster)].add(object->make_block(key.second));
    contents[static_cast<std::size_t>(cluster)].push_back(key);
    taken_.emplace_back(object, key.second);
  }
  std::sort(taken_.begin(), taken_.end());
  keep_systems(contents);
  for (const Link& link : links) {
    const int a = node_of(link, 0), b = node_of(link, 1);
    Cluster::Element& e =
        clusters_[static_cast<std::size_t>(cluster_of[static_cast<std::size_t>(find(a))])].add_element();
    e.source = link.source;
    e.index = link.element;
    e.member[0] = slot[static_cast<std::size_t>(a)];
    e.member[1] = b < 0 ? -1 : slot[static_cast<std::size_t>(b)];
    for (int end = 0; end < 2; ++end) e.place[end] = link.seat[end].place;
  }
}

// Clusters of the same blocks go on with the system of the substep before.
void SolidSystem::keep_systems(const std::vector<std::vector<std::pair<int, int>>>& contents) {
  std::map<std::vector<std::pair<int, int>>, std::shared_ptr<WholeSystem>> kept;
  for (std::size_t c = 0; c < contents.size(); ++c) {
    const auto found = systems_.find(contents[c]);
    auto whole = found != systems_.end() ? found->second : std::make_shared<WholeSystem>();
    clusters_[c].use(whole);
    kept.emplace(contents[c], std::move(whole));
  }
  systems_.swap(kept);
}

void SolidSystem::advance(const Step& step) {
  const bool again =
      std::any_of(members_.begin(), members_.end(), [](const SolidObject* m) { return m->every_iteration(); });
  if (step.iteration > 0 && !again) return;  // solved to the end in the first iteration
  if (step.iteration > 0) {
    for (SolidObject* member : members_) member->restart();
    set_state(begin_state_);
  }
  std::vector<Cluster::Outcome> outcomes(clusters_.size());
  const auto one = [&](std::ptrdiff_t c) {
    outcomes[static_cast<std::size_t>(c)] = clusters_[static_cast<std::size_t>(c)].advance(step, cg_limit_);
  };
  // A single cluster is parallel inside.
  if (clusters_.size() == 1)
    one(0);
  else
    parallel_for(static_cast<std::ptrdiff_t>(clusters_.size()), one);
  report_ = {};
  if (step.iteration == 0) solves_ = {};
  cg_iterations_ = direct_solves_ = 0;
  for (std::size_t c = 0; c < outcomes.size(); ++c) {
    report_.iterations = std::max(report_.iterations, outcomes[c].iterations);
    report_.residual = worse(report_.residual, outcomes[c].residual);
    if (!outcomes[c].converged) report_.status = SolveReport::Status::failed;
    solves_.iterations += outcomes[c].piece_iterations;
    cg_iterations_ = std::max(cg_iterations_, outcomes[c].cg_iterations);
    direct_solves_ += outcomes[c].direct_solves;
  }
  if (report_.status == SolveReport::Status::failed) {
    report_.worst_object = "what is coupled:";
    for (const SolidObject* member : members_) report_.worst_object += " " + member->name();
  }
  solves_.solves += static_cast<std::int64_t>(clusters_.size());
  solves_.residual = report_.residual;
}

}  // namespace ymir
