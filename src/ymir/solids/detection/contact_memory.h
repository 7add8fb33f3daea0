// What detection remembers from one substep to the next: where contacts were, with what impulse, which pairs overlapped
// from the beginning. State: it is saved, rolled back, checkpointed and hashed.
//
// Owners are numbered as all ranks do. A contact is followed when a contact of the same two owners was within one edge
// along a, or, where a is no fibre, within one edge on b. Its impulse goes on in world directions.
//
// Overlap that pieces have when they are new is no collision. A pair (of fibres; of a vertex or edge and a mesh)
// remembers its deepest, g0 = min(0, gap), and may keep it: room = gap - g0. It shrinks at `release` and with the
// overlap itself, and never grows again. Between fibres, which lie on each other in hundreds, so that speeds of release
// add up from one to the next, it shrinks within `release_time`. Fibres whose centre lines are nearer than half of what
// keeps them apart cross: which way they should part is not known, and they do not touch until they have been apart.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ymir/solids/detection/boundary.h"
#include "ymir/solids/detection/contact.h"

namespace ymir {

// All fields are of eight bytes: no gaps between them that would be hashed.
struct ContactOwner {
  std::int64_t object, piece;
  std::int64_t feature;  // vertex, edge or sample of the piece; -1: all of it
  friend auto operator<=>(const ContactOwner&, const ContactOwner&) = default;
};

struct OverlapRecord {
  ContactOwner a, b;
  double overlap;         // g0 <= 0 [m]
  std::int64_t crossing;  // 1: fibres that do not touch yet
};

struct ContactRecord {
  ContactOwner a, b;
  double arc_a;
  std::int64_t vertex[3];  // of side b, within its piece; -1: none
  double weight[3];
  Vec3d normal, tangent, impulse;
};

struct ContactMemory {
  std::array<std::vector<OverlapRecord>, contact_families> overlaps;  // ascending by owners, as are
  std::array<std::vector<ContactRecord>, contact_families> contacts;
  std::uint64_t hash() const;
};

ContactOwner owner_of_a(const Boundary& boundary, const Contact& contact);
ContactOwner owner_of_b(const Boundary& boundary, const Contact& contact);

struct MemorySettings {
  double release = 0.02;        // of remembered overlap, at most [m/s]
  double release_time = 0.25;   // of fibres: overlap / time, [s]
  double least_release = 1e-4;  // and at least [m/s]
  // Distances are kept by soft layers: what is found within one without having been near before is remembered too, or
  // it would be thrown out.
  bool layers = false;
};

// Gives contacts of one family (ascending by owners, with all of these owners) what is remembered of them, and takes
// out those of crossing fibres. `overlaps`: what will have to be remembered when the substep is accepted.
void recall(const Boundary& boundary, const ContactMemory& memory, const MemorySettings& settings, double dt,
            std::vector<Contact>& contacts, std::vector<OverlapRecord>& overlaps);
// What to remember of a contact.
ContactRecord record_of(const Boundary& boundary, const Contact& contact);

}  // namespace ymir
