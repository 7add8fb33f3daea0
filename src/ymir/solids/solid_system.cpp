#include "ymir/solids/solid_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ymir/base/check.h"
#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/parallel/bytes.h"
#include "ymir/parallel/threads.h"
#include "ymir/solids/contact/placement.h"
#include "ymir/solids/unions.h"

namespace ymir {
namespace {

Communicator& one_rank() {
  static Communicator alone;
  return alone;
}

// Where a piece is.
struct Seated {
  std::int32_t member, index;  // among the coupled pieces of the member
  std::int32_t rank, block, place;
};

std::string at_odds(const Cluster::Outcome& outcome) {
  constexpr std::size_t most = 4;
  std::vector<std::string> names = outcome.at_odds;
  if (names.size() > most) names.resize(most, "");
  const std::string more =
      outcome.at_odds.size() > most ? fmt::format(" and {} more", outcome.at_odds.size() - most) : "";
  if (names.size() == 1)
    return fmt::format(
        ": {} cannot hold what it should, by {:.2g}: its own parts contradict each other, or something else carries "
        "the "
        "same pieces (`follow` with weight 1, clamped roots, motors); leave one out, or let one give (`hard: false`)",
        names[0], outcome.gap);
  return fmt::format(
      ": {}{} cannot all hold at once, by {:.2g}: they contradict each other; leave one out, or let one give "
      "(`hard: false`, a weaker motor)",
      fmt::join(names, ", "), more, outcome.gap);
}

// What contacts are on a piece.
enum class Touched : char { nothing, colliders, anything };  // exact ones with colliders alone, at axes; others too

std::vector<Touched> touched_pieces(const ContactScene& scene, double dt) {
  std::vector<Touched> touched(scene.ends().size(), Touched::nothing);
  for (const Contact& contact : scene.contacts()) {
    const bool lone = contact.b.kind == SideKind::collider && !scene.law(contact, 0, dt).smooth() &&
                      !scene.rolls(contact.a);
    for (const ContactSide* side : {&contact.a, &contact.b})
      if (side->kind != SideKind::collider) {
        Touched& piece = touched[static_cast<std::size_t>(side->piece)];
        piece = std::max(piece, lone ? Touched::colliders : Touched::anything);
      }
  }
  return touched;
}

}  // namespace

// An element between blocks; member -1: a prescribed end.
struct SolidSystem::Link {
  Coupling* source;
  std::size_t element;
  Node node[2];
  int place[2] = {0, 0};
};

SolidSystem::SolidSystem() : SolidSystem(one_rank()) {}

SolidSystem::SolidSystem(Communicator& communicator)
    : Object("solids", 0),
      communicator_(&communicator),
      contacts_(communicator),
      islands_(communicator),
      spanning_(communicator) {}

SolidSystem::~SolidSystem() = default;

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

const SolidObject* SolidSystem::larger(const SolidObject& object) const {
  std::vector<char> reached(members_.size()), followed(couplings_.size());
  const auto reach = [&](const SolidObject& from) {
    for (std::size_t c = 0; c < couplings_.size(); ++c)
      if (followed[c] == 0 && couplings_[c]->may_touch(from)) {
        followed[c] = 1;
        for (std::size_t m = 0; m < members_.size(); ++m)
          if (reached[m] == 0 && couplings_[c]->may_touch(*members_[m])) reached[m] = 1;
      }
  };
  reach(object);
  for (bool more = true; more;) {
    const auto before = reached;
    for (std::size_t m = 0; m < members_.size(); ++m)
      if (before[m] != 0) reach(*members_[m]);
    more = reached != before;
  }
  bool passed = false;  // the object itself: members are in the order of names
  for (std::size_t m = 0; m < members_.size(); ++m) {
    passed = passed || members_[m] == &object;
    if (reached[m] == 0 || members_[m] == &object) continue;
    if (members_[m]->bulk() > object.bulk() || (!passed && members_[m]->bulk() == object.bulk())) return members_[m];
  }
  return nullptr;
}

void SolidSystem::schedule(Timeline& timeline) {
  if (!contacts_.empty()) place_touching(*this);
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

// Before every substep, when its length is not decided yet.
void SolidSystem::save() {
  saved_ = state();
  if (longest_ > 0 && !contacts_.empty()) limit_ = contacts_.passing_time(members_, longest_);
}

void SolidSystem::set_state(std::span<const double> values) {
  for (const auto& coupling : couplings_) {
    const auto own = coupling->state();
    std::copy_n(values.begin(), own.size(), own.begin());
    values = values.subspan(own.size());
  }
}

// All ranks know what couplings and contacts remember; rank 0 keeps it.
std::vector<Channel> SolidSystem::list(SolidSystem* system) {
  std::vector<Channel> all{
      {described<double>("couplings", Place::object, "",
                         "What joints remember, their angle or length; of the object `solids`, which holds all that "
                         "is coupled.",
                         Use::kept),
       [=] { return Array::of(system->communicator_->root() ? system->state() : std::vector<double>{}); },
       [=](const Array& from) {
         if (from.count() != system->state().size()) return false;
         system->set_state(from.as<double>());
         return true;
       },
       {}}};
  if (system == nullptr || !system->contacts_.empty())
    all.push_back(
        {described<double>("contacts", Place::object, "",
                           "What is remembered of exact contacts: where they were, their impulses, overlaps of the "
                           "beginning.",
                           Use::kept),
         [=] { return Array::of(system->communicator_->root() ? system->contacts_.state() : std::vector<double>{}); },
         [=](const Array& from) { return system->contacts_.set_state(from.as<double>()); },
         {}});
  return all;
}

void SolidSystem::restore(const ObjectState* whole) {
  if (whole != nullptr) {
    expect_kept(*whole);
    const std::size_t there = whole->channels.find("couplings")->second.count(), now = state().size();
    if (there != now)
      throw Error(ExitCode::bad_input,
                  fmt::format("the checkpoint does not fit this setup: joints or attachments were added or removed "
                              "since, it remembers {} values of them and the setup has {}; put them back as they were "
                              "(`enabled: false` removes them too), or start again in another folder",
                              there, now));
  }
  Object::restore(whole);
  if (communicator_->size() == 1) return;
  Bytes values = to_bytes(state());
  communicator_->broadcast(values);
  set_state(from_bytes<double>(values));
  values = to_bytes(contacts_.state());
  communicator_->broadcast(values);
  contacts_.set_state(from_bytes<double>(values));
}

std::uint64_t SolidSystem::hash() const {
  std::vector<double> values = state();
  const std::vector<double> contacts = contacts_.state();
  values.insert(values.end(), contacts.begin(), contacts.end());
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
  std::vector<Seated> here;
  std::vector<std::vector<Seated>> seats(members_.size());
  for (std::size_t o = 0; o < members_.size(); ++o) {
    std::sort(pieces[o].begin(), pieces[o].end());
    pieces[o].erase(std::unique(pieces[o].begin(), pieces[o].end()), pieces[o].end());
    seats[o].assign(pieces[o].size(), Seated{0, 0, -1, 0, 0});
    const std::vector<SolidObject::Seat> own = members_[o]->seat(pieces[o]);
    for (std::size_t k = 0; k < own.size(); ++k)
      if (own[k].block >= 0)
        here.push_back({static_cast<std::int32_t>(o), static_cast<std::int32_t>(k), communicator_->rank(), own[k].block,
                        own[k].place});
  }
  for (const Bytes& bytes : communicator_->all_gather(std::as_bytes(std::span<const Seated>(here))))
    for (const Seated& seated : from_bytes<Seated>(bytes))
      seats[static_cast<std::size_t>(seated.member)][static_cast<std::size_t>(seated.index)] = seated;
  std::vector<Link> links;
  for (const auto& source : couplings_)
    for (std::size_t e = 0; e < source->size(); ++e) {
      Link link{source.get(), e, {}, {}};
      bool present = true;
      for (int end = 0; end < 2; ++end) {
        const MaterialPoint& p = source->point(e, end);
        if (p.object == nullptr) continue;
        const std::size_t object = number_of(p.object);
        const auto found = std::lower_bound(pieces[object].begin(), pieces[object].end(), p.piece);
        const Seated& at = seats[object][static_cast<std::size_t>(found - pieces[object].begin())];
        link.node[end] = {static_cast<int>(object), at.rank, at.block};
        link.place[end] = at.place;
        present = present && at.rank >= 0;
        YMIR_CHECK(at.rank >= 0 || p.object->pieces_leave());
      }
      if (present) links.push_back(link);
    }
  return links;
}

void SolidSystem::detect(const Step& step) {
  for (const auto& source : couplings_) source->prepare(step.time + step.dt, step.dt);
  begin_state_ = state();
  too_fast_.clear();
  for (const auto& source : couplings_)
    if (too_fast_.empty()) too_fast_ = source->too_fast(step.dt);
  const std::vector<Link> links = find_links();
  // Blocks joined by elements, the same on every rank but for those that nothing touches.
  std::map<Node, int> nodes;
  Unions joined;
  const auto number_of = [&](const Node& node) {
    const auto [it, added] = nodes.try_emplace(node, static_cast<int>(joined.size()));
    if (added) joined.add();
    return it->second;
  };
  for (const Link& link : links) {
    const int a = number_of(link.node[0]);
    if (link.node[1].member >= 0) joined.join(a, number_of(link.node[1]));
  }
  if (!contacts_.empty()) {
    contacts_.find(step, members_);
    contacts_.gather([&](const ContactScene::End& end) { return nodes.contains({end.member, end.rank, end.block}); });
    hand_out(step, [&](const Node& node) { return nodes.contains(node); });
  }
  for (std::size_t p = 0; p < in_island_.size(); ++p)
    if (const ContactScene::End& end = contacts_.ends()[p]; in_island_[p] != 0)
      number_of({end.member, end.rank, end.block});
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (const int lead = members_[m]->lead(); lead >= 0) number_of({static_cast<int>(m), lead, 0});
    for (const int block : members_[m]->lone_blocks()) number_of({static_cast<int>(m), communicator_->rank(), block});
  }
  std::vector<Content> contents;
  std::vector<int> content_of(joined.size(), -1);
  for (const auto& [node, number] : nodes) {
    int& content = content_of[static_cast<std::size_t>(joined.find(number))];
    if (content < 0) {
      content = static_cast<int>(contents.size());
      contents.emplace_back();
    }
    contents[static_cast<std::size_t>(content)].push_back(node);
  }
  make_clusters(links, contents);
  make_islands(contents);
}

// Blocks that nothing is coupled to, and that touch colliders alone, are left to objects that can; the same on every
// rank. Contacts that are to be written down are those of islands.
template <class Coupled>
void SolidSystem::hand_out(const Step& step, const Coupled& coupled) {
  const std::vector<Touched> touched = touched_pieces(contacts_, step.dt);
  std::map<Node, bool> lone;
  const auto node_of = [&](std::size_t p) {
    const ContactScene::End& end = contacts_.ends()[p];
    return Node{end.member, end.rank, end.block};
  };
  in_island_.assign(touched.size(), 0);
  for (std::size_t p = 0; p < touched.size(); ++p) {
    if (touched[p] == Touched::nothing) continue;
    const Node node = node_of(p);
    const auto [at, added] = lone.try_emplace(node, true);
    if (added)
      at->second = !dump_ && members_[static_cast<std::size_t>(node.member)]->solves_contacts() && !coupled(node);
    at->second = at->second && touched[p] == Touched::colliders;
  }
  for (std::size_t p = 0; p < touched.size(); ++p)
    in_island_[p] = touched[p] != Touched::nothing && !lone.at(node_of(p)) ? 1 : 0;
  lone_.resize(members_.size());
  for (auto& of_member : lone_) of_member.clear();
  lone_dt_ = step.dt;
  for (std::size_t k = 0; k < contacts_.contacts().size(); ++k) {
    const Contact& contact = contacts_.contacts()[k];
    const auto p = static_cast<std::size_t>(contact.a.piece);
    const ContactScene::End& end = contacts_.ends()[p];
    if (in_island_[p] != 0 || end.rank != communicator_->rank()) continue;
    LoneContact& c = lone_[static_cast<std::size_t>(end.member)].emplace_back();
    c.contact = k;
    c.block = end.block;
    c.place = end.place;
    for (std::size_t v = 0; v < 2; ++v) {
      c.vertex[v] = contact.a.vertex[v] < 0 ? -1 : contacts_.within_piece(contact.a, contact.a.vertex[v]);
      c.weight[v] = contact.a.weight[v];
    }
    c.normal = contact.normal;
    c.start = contacts_.point(contact.a);
    c.carried = contact.carried;
    c.room = contacts_.room(contact);
    c.friction = contacts_.friction(contact);
    c.adhesion = contacts_.adhesion(contact);
    c.force = contact.impulse / step.dt;
  }
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (!members_[m]->solves_contacts()) continue;
    std::stable_sort(lone_[m].begin(), lone_[m].end(), [](const LoneContact& a, const LoneContact& b) {
      return std::pair(a.block, a.place) < std::pair(b.block, b.place);
    });
    members_[m]->take_contacts(lone_[m], contacts_.tolerance());
  }
}

// What objects have found for themselves is remembered by all ranks.
void SolidSystem::accept() {
  struct Found {
    std::size_t contact;
    Vec3d impulse;
  };
  std::vector<Found> found;
  for (const auto& of_member : lone_)
    for (const LoneContact& c : of_member) found.push_back({c.contact, c.force * lone_dt_});
  if (!contacts_.empty() && communicator_->size() > 1) {
    const std::vector<Bytes> all = communicator_->all_gather(std::as_bytes(std::span<const Found>(found)));
    found.clear();
    for (const Bytes& bytes : all)
      for (const Found& f : from_bytes<Found>(bytes)) found.push_back(f);
  }
  for (const Found& f : found) contacts_.set_impulse(f.contact, f.impulse);
  contacts_.accept();
}

// Clusters joined by contacts. What is said of them here is the same on every rank.
void SolidSystem::make_islands(const std::vector<Content>& contents) {
  islands_.clear();
  touched_.assign(clusters_.size(), 0);
  if (contacts_.contacts().empty()) return;
  std::map<Node, std::size_t> part_of;
  for (std::size_t p = 0; p < contents.size(); ++p)
    for (const Node& node : contents[p]) part_of[node] = p;
  std::map<Node, std::int64_t> orders;
  std::vector<ContactIslands::Seat> seats(in_island_.size());
  for (std::size_t p = 0; p < in_island_.size(); ++p) {
    if (in_island_[p] == 0) continue;
    const ContactScene::End& end = contacts_.ends()[p];
    const Node node{end.member, end.rank, end.block};
    orders[node] = end.order;
    const auto here = cluster_at_.find(node);
    seats[p] = {static_cast<int>(part_of.at(node)), {here == cluster_at_.end() ? 0 : here->second.number, end.place}};
  }
  std::vector<ContactIslands::Part> parts;
  for (const Content& content : contents) {
    ContactIslands::Part& part = parts.emplace_back();
    const Node& first = content.front();
    const auto member = [&](const Node& n) { return members_[static_cast<std::size_t>(n.member)]; };
    if (const auto here = cluster_at_.find(first); here != cluster_at_.end())
      part.cluster = &clusters_[static_cast<std::size_t>(here->second.cluster)];
    const bool together = std::all_of(content.begin(), content.end(),
                                      [&](const Node& n) { return n.rank == first.rank && member(n)->lead() < 0; });
    part.rank = together ? first.rank : -1;
    part.blocks = content.size();
    part.whole = std::any_of(content.begin(), content.end(), [&](const Node& n) { return member(n)->owner() >= 0; });
    const auto order = orders.find(first);
    part.order = {first.member, order != orders.end() ? order->second : first.block};
  }
  if (const auto bad = islands_.find(contacts_, parts, seats))
    throw Error(
        ExitCode::bad_input,
        fmt::format("{}: what is coupled to it is on several ranks and touches something; that runs on one rank "
                    "so far, start without mpirun and use its threads",
                    members_[static_cast<std::size_t>(contents[*bad].front().member)]->name()));
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (parts[p].cluster != nullptr && islands_.touched(p))
      touched_[static_cast<std::size_t>(parts[p].cluster - clusters_.data())] = 1;
}

// The rank that leads the work on a shared block, or has the largest block of a cluster, or most of its blocks.
int SolidSystem::home_of(const Content& content) const {
  for (const Node& node : content)
    if (const int lead = members_[static_cast<std::size_t>(node.member)]->lead(); lead >= 0) return lead;
  const auto largest = std::max_element(content.begin(), content.end(), [&](const Node& a, const Node& b) {
    return members_[static_cast<std::size_t>(a.member)]->bulk() < members_[static_cast<std::size_t>(b.member)]->bulk();
  });
  if (members_[static_cast<std::size_t>(largest->member)]->bulk() > 0) return largest->rank;
  std::vector<int> count(static_cast<std::size_t>(communicator_->size()));
  for (const Node& node : content) ++count[static_cast<std::size_t>(node.rank)];
  return static_cast<int>(std::max_element(count.begin(), count.end()) - count.begin());
}

// Clusters of the same blocks go on with the system of the substep before.
Cluster::Systems SolidSystem::systems_for(const Content& content) {
  const auto found = systems_.find(content);
  return next_systems_.emplace(content, found != systems_.end() ? found->second : Cluster::Systems{}).first->second;
}

void SolidSystem::make_clusters(const std::vector<Link>& links, const std::vector<Content>& contents) {
  const int here = communicator_->rank();
  // Where a block is from here: in a cluster, or lent to the home of one.
  struct Seen {
    Cluster* cluster = nullptr;
    int number = -1;
  };
  std::map<Node, Seen> seen;
  clusters_.clear();
  cluster_at_.clear();
  spanning_.clear();
  taken_.clear();
  any_spanning_ = false;
  std::size_t local = 0;
  const auto all_on = [](const Content& content, int rank) {
    return std::all_of(content.begin(), content.end(), [&](const Node& n) { return n.rank == rank; });
  };
  for (const Content& content : contents) local += all_on(content, here) ? 1 : 0;
  clusters_.reserve(local);  // elements are added to them by address
  for (const Content& content : contents) {
    const bool shared = std::any_of(content.begin(), content.end(), [&](const Node& n) {
      return members_[static_cast<std::size_t>(n.member)]->lead() >= 0;
    });
    const bool spans = shared || !all_on(content, content.front().rank);
    any_spanning_ = any_spanning_ || spans;
    if (!spans && content.front().rank != here) continue;
    const int home = spans ? home_of(content) : here;
    Cluster* cluster = home != here ? nullptr : spans ? &spanning_.add_home() : &clusters_.emplace_back();
    if (cluster != nullptr) cluster->use(systems_for(content));
    for (const Node& node : content) {
      SolidObject* object = members_[static_cast<std::size_t>(node.member)];
      if (node.rank == here) taken_.emplace_back(object, node.block);
      if (object->lead() >= 0)
        seen[node] = cluster != nullptr
                         ? Seen{cluster, cluster->add(node.member, spanning_.add_lead(object->make_block(node.block)))}
                         : Seen{nullptr, spanning_.lend_share(home, object->make_block(node.block))};
      else if (cluster != nullptr)
        seen[node] = {cluster, node.rank == here ? cluster->add(node.member, object->make_block(node.block))
                                                 : cluster->add(node.member, spanning_.add_remote(node.rank))};
      if (cluster != nullptr && !spans)
        cluster_at_[node] = {static_cast<int>(clusters_.size()) - 1, static_cast<std::size_t>(seen.at(node).number)};
      else if (cluster == nullptr && node.rank == here)
        seen[node] = {nullptr, spanning_.lend(home, object->make_block(node.block))};
    }
  }
  std::sort(taken_.begin(), taken_.end());
  systems_.swap(next_systems_);
  next_systems_.clear();
  for (const Link& link : links) {
    const auto source = seen.find(link.node[0]);
    if (source != seen.end() && source->second.cluster != nullptr) {
      const bool prescribed = link.node[1].member < 0;
      source->second.cluster->add_element(*link.source, link.element,
                                          {source->second.number, prescribed ? -1 : seen.at(link.node[1]).number},
                                          link.place);
      continue;
    }
    for (int end = 0; end < 2; ++end)
      if (const auto lent = seen.find(link.node[end]); lent != seen.end())
        spanning_.lent(lent->second.number).add_port(link.place[end], link.source->point(link.element, end));
  }
}

// What elements remember is known to the rank that solved for them; afterwards to all.
void SolidSystem::share_state() {
  if (communicator_->size() == 1 || begin_state_.empty()) return;
  struct Change {
    std::size_t index;
    double value;
  };
  std::vector<double> now = state();
  std::vector<Change> changes;
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i] != begin_state_[i]) changes.push_back({i, now[i]});
  for (const Bytes& bytes : communicator_->all_gather(std::as_bytes(std::span<const Change>(changes))))
    for (const Change& change : from_bytes<Change>(bytes)) now[change.index] = change.value;
  set_state(now);
}

void SolidSystem::advance(const Step& step) {
  const bool again =
      std::any_of(members_.begin(), members_.end(), [](const SolidObject* m) { return m->every_iteration(); });
  if (step.iteration > 0 && !again) return;  // solved to the end in the first iteration
  if (step.iteration > 0) {
    for (SolidObject* member : members_) member->restart();
    set_state(begin_state_);
  }
  if (communicator_->any(!too_fast_.empty())) {
    report_ = {SolveReport::Status::failed, 0, 0, too_fast_};
    return;
  }
  std::vector<Cluster*> apart;
  for (std::size_t c = 0; c < clusters_.size(); ++c)
    if (touched_[c] == 0) apart.push_back(&clusters_[c]);
  std::vector<Cluster::Outcome> outcomes(apart.size());
  const auto one = [&](std::ptrdiff_t c) {
    outcomes[static_cast<std::size_t>(c)] = apart[static_cast<std::size_t>(c)]->advance(step, cg_limit_);
  };
  parallel_for(std::ssize(apart), one);  // a single cluster is parallel inside
  if (any_spanning_) {
    spanning_.advance(step);
    const auto spanning = spanning_.outcomes();
    outcomes.insert(outcomes.end(), spanning.begin(), spanning.end());
  }
  report_ = {};
  if (step.iteration == 0) solves_ = {};
  cg_iterations_ = direct_solves_ = 0;
  note(outcomes);
  advance_islands(step);
  contacts_.release();
  for (SolidObject* member : members_) member->share_outcome();
  share_state();
  solves_.residual = report_.residual;
}

void SolidSystem::note(const std::vector<Cluster::Outcome>& outcomes) {
  for (const Cluster::Outcome& outcome : outcomes) {
    report_.iterations = std::max(report_.iterations, outcome.iterations);
    report_.residual = worse(report_.residual, outcome.residual);
    if (!outcome.converged && report_.status != SolveReport::Status::failed) {
      report_.status = SolveReport::Status::failed;
      report_.worst_object =
          fmt::format("{} (piece {}), with all that it is coupled to",
                      members_[static_cast<std::size_t>(outcome.worst_object)]->name(), outcome.worst_piece);
      if (!outcome.at_odds.empty()) report_.worst_object += at_odds(outcome);
    }
    ++solves_.solves;
    solves_.iterations += outcome.piece_iterations;
    cg_iterations_ = std::max(cg_iterations_, outcome.cg_iterations);
    direct_solves_ += outcome.direct_solves;
  }
}

std::string SolidSystem::name_of(const Contact& contact) const {
  const auto side = [&](const ContactSide& s) {
    const ContactScene::Place place = contacts_.place(s);
    return place.member < 0
               ? std::string("a collider")
               : fmt::format("{} (piece {})", members_[static_cast<std::size_t>(place.member)]->name(), place.piece);
  };
  return fmt::format("contact of {} with {}", side(contact.a), side(contact.b));
}

void SolidSystem::record_contacts(const std::filesystem::path& folder) {
  dump_ = std::make_unique<ContactDump>(folder);
}

void SolidSystem::advance_islands(const Step& step) {
  if (contacts_.contacts().empty()) return;
  if (dump_ && step.iteration == 0) islands_.record();
  const std::vector<ContactIsland::Outcome> outcomes = islands_.advance(step, contacts_);
  if (dump_) islands_.write_recorded(*dump_);
  solves_.contacts_found += islands_.contacts();
  // Errors of contact, by the velocities that would be without it, beyond which a substep is not worth keeping.
  constexpr double hopeless = 0.1;
  for (const ContactIsland::Outcome& outcome : outcomes) {
    note({outcome.newton});
    solves_.contacts += static_cast<std::int64_t>(outcome.closed);
    solves_.contact_iterations += outcome.contact_iterations;
    if (outcome.status == ContactStatus::solved || !outcome.newton.converged) continue;
    const std::string where = name_of(contacts_.contacts()[outcome.worst_contact]);
    if (!(outcome.error < hopeless)) {
      report_ = {SolveReport::Status::failed, report_.iterations, outcome.error, where};
      continue;
    }
    ++solves_.unconverged;
    solves_.worst = where;
    report_.residual = worse(report_.residual, outcome.error);
  }
}

}  // namespace ymir
