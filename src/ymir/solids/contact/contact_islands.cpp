#include "ymir/solids/contact/contact_islands.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ymir/base/log.h"
#include "ymir/parallel/bytes.h"
#include "ymir/parallel/threads.h"
#include "ymir/solids/unions.h"

namespace ymir {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void ContactIslands::clear() {
  islands_.clear();
  spanning_.clear();
  islands_of_.clear();
  homes_.clear();
  home_of_.clear();
}

// The rank that has what does not travel, or else most of it.
int ContactIslands::home_of(std::span<const Part> parts, const std::vector<std::size_t>& members) const {
  std::vector<std::size_t> blocks(at(communicator_->size()), 0);
  for (const std::size_t p : members) {
    if (parts[p].whole) return parts[p].rank;
    blocks[at(parts[p].rank)] += parts[p].blocks;
  }
  return static_cast<int>(std::max_element(blocks.begin(), blocks.end()) - blocks.begin());
}

std::optional<std::size_t> ContactIslands::add(std::span<const Part> parts, const std::vector<std::size_t>& members,
                                               int number) {
  for (const std::size_t p : members)
    if (parts[p].rank < 0) return p;
  const int home = home_of(parts, members), own = communicator_->rank();
  homes_.push_back(home);
  const bool spans = std::any_of(members.begin(), members.end(), [&](std::size_t p) { return parts[p].rank != home; });
  const bool takes_part =
      std::any_of(members.begin(), members.end(), [&](std::size_t p) { return parts[p].rank == own; });
  ContactIsland* island = nullptr;
  LentClusters* lent = nullptr;
  if (home == own) {
    auto made = std::make_unique<ContactIsland>();
    island = made.get();
    if (spans) {
      spanning_.push_back({{number, std::move(made)}, {}});
      if (!std::exchange(told_, true))
        log::debug(
            fmt::format("contacts: an island of {} clusters spans ranks, rank {} leads it", members.size(), own));
    } else {
      islands_.push_back({number, std::move(made)});
    }
  } else if (takes_part) {
    lent = &*spanning_.emplace_back(Spanning{{number, nullptr}, LentClusters(home)}).lent;
  }
  for (const std::size_t p : members) {
    islands_of_[p] = number;
    if (parts[p].rank != home && parts[p].blocks > 1) return p;
    if (island != nullptr)
      number_in_[p] =
          parts[p].rank == own ? island->add(*parts[p].cluster) : island->add_remote(*communicator_, parts[p].rank);
    else if (lent != nullptr && parts[p].rank == own)
      number_in_[p] = lent->add(*parts[p].cluster);
  }
  return std::nullopt;
}

std::optional<std::size_t> ContactIslands::find(const ContactScene& scene, std::span<const Part> parts,
                                                std::span<const Seat> by_piece) {
  clear();
  islands_of_.assign(parts.size(), -1);
  number_in_.assign(parts.size(), -1);
  Unions joined(parts.size());
  std::vector<char> touched(parts.size(), 0);
  const auto seat_of = [&](const ContactSide& side) {
    return side.kind == SideKind::collider ? Seat{} : by_piece[at(side.piece)];
  };
  for (const Contact& contact : scene.contacts()) {
    const int a = seat_of(contact.a).part, b = seat_of(contact.b).part;
    if (a < 0) continue;
    touched[at(a)] = 1;
    if (b < 0) continue;
    joined.join(a, b);
    touched[at(b)] = 1;
  }
  std::vector<std::size_t> order;
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (touched[p] != 0) order.push_back(p);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return parts[a].order < parts[b].order; });
  std::vector<int> number(parts.size(), -1);
  std::vector<std::vector<std::size_t>> members;
  for (const std::size_t p : order) {
    int& island = number[at(joined.find(static_cast<int>(p)))];
    if (island < 0) {
      island = static_cast<int>(members.size());
      members.emplace_back();
    }
    members[at(island)].push_back(p);
  }
  spanning_.reserve(members.size());  // they are known by address
  for (std::size_t i = 0; i < members.size(); ++i)
    if (const auto bad = add(parts, members[i], static_cast<int>(i))) return bad;
  island_at_.assign(members.size(), nullptr);
  lent_at_.assign(members.size(), nullptr);
  for (const Home& home : islands_) island_at_[at(home.number)] = home.island.get();
  for (Spanning& s : spanning_) {
    island_at_[at(s.home.number)] = s.home.island.get();
    lent_at_[at(s.home.number)] = s.lent ? &*s.lent : nullptr;
  }
  for (std::size_t k = 0; k < scene.contacts().size(); ++k) {
    const Contact& contact = scene.contacts()[k];
    const Seat seats[2] = {seat_of(contact.a), seat_of(contact.b)};
    if (seats[0].part < 0) {
      home_of_.push_back(-1);
      continue;
    }
    const int island = islands_of_[at(seats[0].part)];
    home_of_.push_back(homes_[at(island)]);
    const auto side = [&](const Seat& seat) {
      return ContactIsland::Side{seat.part < 0 ? -1 : number_in_[at(seat.part)], seat.at};
    };
    if (island_at_[at(island)] != nullptr) island_at_[at(island)]->add_contact(k, side(seats[0]), side(seats[1]));
    if (lent_at_[at(island)] == nullptr) continue;
    for (int end = 0; end < 2; ++end)
      if (const Seat& seat = seats[end]; seat.part >= 0 && parts[at(seat.part)].cluster != nullptr)
        lent_at_[at(island)]->add_side(k, end, number_in_[at(seat.part)], seat.at);
  }
  return std::nullopt;
}

template <class F>
void ContactIslands::for_each(F&& f) const {
  for (const Home& home : islands_) f(home);
  for (const Spanning& s : spanning_)
    if (s.home.island) f(s.home);
}

void ContactIslands::record() {
  for_each([](const Home& home) { home.island->record(); });
}

std::vector<ContactIsland::Outcome> ContactIslands::advance(const Step& step, ContactScene& scene) {
  std::vector<ContactIsland::Outcome> outcomes(islands_.size());
  parallel_for(std::ssize(islands_), [&](std::ptrdiff_t i) {  // a single island is parallel inside
    const auto k = static_cast<std::size_t>(i);
    outcomes[k] = islands_[k].island->advance(step, scene);
  });
  // In one order on all ranks: none waits for one that waits for it.
  for (Spanning& s : spanning_) {
    if (s.lent)
      s.lent->serve(*communicator_, step, scene);
    else
      outcomes.push_back(s.home.island->advance(step, scene));
  }
  if (communicator_->size() > 1) share_impulses(scene);
  return outcomes;
}

// What homes have found is known to all that remember contacts.
void ContactIslands::share_impulses(ContactScene& scene) {
  std::vector<Vec3d> found;
  for (std::size_t k = 0; k < home_of_.size(); ++k)
    if (home_of_[k] == communicator_->rank()) found.push_back(scene.contacts()[k].impulse);
  const std::vector<Bytes> all = communicator_->all_gather(std::as_bytes(std::span<const Vec3d>(found)));
  std::vector<MessageReader> messages(all.begin(), all.end());
  for (std::size_t k = 0; k < home_of_.size(); ++k)
    if (home_of_[k] >= 0) scene.set_impulse(k, messages[at(home_of_[k])].get<Vec3d>());
}

// Numbered as one rank would.
void ContactIslands::write_recorded(ContactDump& dump) const {
  std::vector<int> own, all;
  std::vector<const RecordedContacts*> recorded(islands_of_.empty() ? 0 : island_at_.size(), nullptr);
  for_each([&](const Home& home) {
    if (!home.island->recorded()) return;
    own.push_back(home.number);
    recorded[at(home.number)] = &*home.island->recorded();
  });
  for (const Bytes& bytes : communicator_->all_gather(std::as_bytes(std::span<const int>(own))))
    for (const int number : from_bytes<int>(bytes)) all.push_back(number);
  std::sort(all.begin(), all.end());
  for (const int number : all) {
    if (const RecordedContacts* mine = recorded[at(number)])
      dump.write(*mine);
    else
      dump.pass();
  }
}

std::int64_t ContactIslands::contacts() const {
  return std::count(home_of_.begin(), home_of_.end(), communicator_->rank());
}

}  // namespace ymir
