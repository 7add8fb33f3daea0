// Finds all contacts of a Boundary, once per substep.
//
//   detection.find(boundary, colliders, dt);       // contacts(), with what is remembered of them
//   ... a solver sets Contact::impulse ...
//   detection.accept(boundary);                    // the substep stands: this is what the next one remembers
//
// A substep that is solved again calls find() again; nothing has changed. Contacts are sorted by family, then by the
// numbers of their pieces and elements: they do not depend on threads, trees or other pieces. Once all lists have
// grown to what a scene needs, nothing is allocated.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ymir/solids/detection/boundary.h"
#include "ymir/solids/detection/contact.h"
#include "ymir/solids/detection/contact_memory.h"
#include "ymir/solids/detection/distance_contacts.h"

namespace ymir {

struct DetectionTimes {  // of the last find() [s]
  double order = 0, fit = 0, pairs = 0, contacts = 0;
};

class ContactDetection {
 public:
  ContactDetection();
  ~ContactDetection();

  // `dt` >= 0 [s]. Collisions of pieces that are new take part from the next substep on that finds them apart.
  void find(const Boundary& boundary, std::span<const ContactCollider> colliders, double dt);
  std::span<const Contact> contacts() const { return contacts_; }
  std::span<Contact> contacts() { return contacts_; }
  void accept(const Boundary& boundary);
  // Contacts that nobody solves for are not remembered either.
  void leave_out(const std::function<bool(const Contact&)>& which);

  const ContactMemory& memory() const { return memory_; }
  void restore(const ContactMemory& memory) { memory_ = memory; }
  MemorySettings settings;
  ContactFilter filter;
  // What the ways of two sides may be wrong by [m]; 0: whatever is in reach counts.
  double slack = 0;
  // Pieces that would pass each other within the substep are found on their way too (swept_contacts.h).
  bool continuous = false;

  // For measurements: how often trees were ordered anew, pairs that passed the filter, times.
  std::int64_t orderings() const;
  std::int64_t candidates() const;
  const DetectionTimes& times() const { return times_; }
  void order_always(bool always) { order_always_ = always; }

 private:
  struct Search;  // trees and lists of candidates
  void find_family(const Boundary& boundary, ContactFamily family, double dt);
  void drop_far(const Boundary& boundary, std::vector<Contact>& contacts) const;
  template <class Make>
  void collect(const Boundary& boundary, ContactFamily family, std::ptrdiff_t parts, double dt, const Make& make);

  std::unique_ptr<Search> search_;
  ContactMemory memory_;
  std::vector<Contact> contacts_;
  std::size_t remembered_ = 0;  // those that are followed; what is found on its way comes after them
  std::array<std::vector<OverlapRecord>, contact_families> overlaps_;
  DetectionTimes times_;
  bool order_always_ = false;
};

}  // namespace ymir
