// What may touch what in a simulation, and the contacts of a substep between blocks of the solid system.
//
// Objects of a family touch each other, and themselves; a collider touches the objects it was made for. Objects show
// where they end (Boundary), detection finds contacts, and each has two ends, on blocks or on a collider. What
// detection remembers is state.
//
// Where there are several ranks, each is shown where the pieces of all end, finds all contacts and remembers them: the
// same on every rank. Solving for them is divided.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ymir/parallel/communicator.h"
#include "ymir/pipeline/timeline.h"
#include "ymir/solids/contact/smooth_law.h"
#include "ymir/solids/detection/contact_detection.h"
#include "ymir/solids/solid_object.h"

namespace ymir {

// How contacts of an object or a collider answer; of two the more careful one: barrier, then exact, then penalty.
struct TouchResponse {
  ContactResponse kind = ContactResponse::exact;
  // Of penalties and barriers: k dt^2/m, or k itself [N/m] where it is not 0. Of two the mean.
  double by_inertia = 200, stiffness = 0;
  double activation = 5e-4;  // gap at which they begin to push [m]; of two objects the mean, of a collider all
  double slip_speed = 1e-3;  // below which friction is not all there [m/s]; of two the smaller

  double reach() const { return kind == ContactResponse::exact ? 0 : activation; }
};

// How an object is where it touches others.
struct TouchParams {
  double friction = 0.3;     // mu; of two objects the root of the product. Values of data override it
  double thickness = 0;      // kept free between two of them beyond their radii [m]; of two objects the mean. The same
  double adhesion = 0;       // force that a contact takes before it opens [N]; of two objects, or a collider, the mean
  bool self_contact = true;  // pieces touch themselves
  double tolerance = 1e-4;   // of relative velocities, by those without contact
  TouchResponse response;
  bool continuous = false;  // what would pass within a substep is found too
  // Radius from which strands touch at their surfaces and roll [m]. Torsion holds what is thinner, and contacts
  // would take several times as many iterations.
  double rolls_from = 1e-4;
};

// A solid whose motion is given.
struct TouchedCollider {
  std::function<ContactCollider(double begin, double end)> during;  // of a substep [s]
  double friction = 0.3;
  double adhesion = 0;                // [N]
  std::vector<SolidObject*> objects;  // that it touches
  TouchResponse response;
  bool continuous = false;
};

class ContactScene {
 public:
  struct End {
    int member = -1;  // -1: a collider
    int rank = 0, block = 0, place = 0;
    std::int64_t order = 0;  // of the block (solid_object.h)
  };

  explicit ContactScene(Communicator& communicator) : communicator_(&communicator) {}

  // Objects touch each other. Of several families that an object is in, the one of the highest level says how it is.
  void add_family(std::span<SolidObject* const> objects, const TouchParams& params, int level);
  void add_collider(TouchedCollider collider);
  bool empty() const { return objects_.empty(); }
  bool touches(const SolidObject& object) const;
  // A bit for each that it is in.
  std::uint64_t families_of(const SolidObject& object) const;
  // Whether some contact of it is a penalty or a barrier.
  bool gives(const SolidObject& object) const;
  double tolerance() const { return tolerance_; }

  // Contacts of the state that objects have. members: all solid objects, in the order of their numbers. Collective.
  void find(const Step& step, std::span<SolidObject* const> members);
  // After find(), what is loose (solid_object.h): blocks of pieces that contacts join become one, but for those that
  // couplings are on. Contacts of a piece with nothing but colliders are left out: its object answers to these.
  void gather(const std::function<bool(const End&)>& coupled);
  // When impulses are known: pieces of those blocks that only colliders push are released to their objects.
  void release() const;
  // How long a substep from the state that objects have may be so that no two of them pass each other unseen, at most
  // `longest` [s]. Collective.
  double passing_time(std::span<SolidObject* const> members, double longest);
  // The substep stands: the next one goes on from its impulses.
  void accept();

  std::span<const Contact> contacts() const { return detection_.contacts(); }
  void set_impulse(std::size_t contact, Vec3d impulse) { detection_.contacts()[contact].impulse = impulse; }
  std::span<const End> ends() const { return ends_; }  // by piece
  struct Place {
    int member = -1;  // -1: a collider
    std::int64_t piece = 0;
  };
  Place place(const ContactSide& side) const;
  double friction(const Contact& contact) const;
  double adhesion(const Contact& contact) const;  // [N]
  // What a substep may close: surfaces are found by their distance less the reach of penalties and barriers [m].
  double room(const Contact& contact) const;
  // compliance: of what touches there, about its inverse mass [1/kg].
  SmoothLaw law(const Contact& contact, double compliance, double dt) const;
  Vec3d point(const ContactSide& side) const;  // when the substep begins [m]
  // From there to where the contact acts, on the first side (0) or the second; of what rolls. [m]
  Vec3d arm(const Contact& contact, int side) const;
  bool rolls(const ContactSide& side) const;  // a strand that touches at its surface
  // Length of the elements that touch: of a fibre, or else of what deforms [m].
  double edge_at(const Contact& contact) const;
  // A vertex of a side as its piece numbers it.
  std::int32_t within_piece(const ContactSide& side, std::int32_t vertex) const {
    return vertex - boundary_.piece(side.piece).first_vertex;
  }
  double seconds() const { return seconds_; }  // that the last find() took

  // What survives a substep, in words of 8 bytes.
  std::vector<double> state() const;
  bool set_state(std::span<const double> values);  // false: it is none

 private:
  struct Touching {
    SolidObject* object;
    int member = -1;             // its number among all
    std::uint64_t families = 0;  // a bit each
    TouchParams params;
    int level = -1;
    std::uint64_t version = 0;  // of the pieces it showed
    bool painted_friction = false, painted_thickness = false;
  };
  Touching& entry(SolidObject& object);
  const Touching& entry_of(std::int32_t member) const;
  const Touching& entry_of(const ContactSide& side) const;
  const TouchResponse& response_of(const ContactSide& side) const;
  void number(std::span<SolidObject* const> members);
  void show();
  void show_own(Boundary& boundary, std::vector<End>& ends);
  void show_all();
  static void paint(const Touching& t, Boundary& boundary, std::size_t first_vertex);
  double friction_at(const ContactSide& side, double otherwise) const;
  double radius_at(const ContactSide& side) const;
  double layer_of(const ContactSide& side) const;  // of penalties and barriers, what it is found too large by [m]
  void find_seats(std::int32_t entry);
  void move(double dt);
  void share_motion();

  Communicator* communicator_;
  std::vector<Touching> objects_;
  std::vector<std::int32_t> entries_;  // by member; -1: it touches nothing
  std::vector<TouchedCollider> colliders_;
  std::vector<std::vector<char>> touched_;  // by collider and member
  int families_ = 0;
  double tolerance_ = 1e-4;
  Boundary boundary_;
  std::vector<End> ends_;       // by piece of the boundary
  std::vector<char> gathered_;  // pieces that share blocks in this substep; empty: none
  ContactDetection detection_;
  bool started_ = false;  // pieces are not new any more
  double seconds_ = 0;
};

}  // namespace ymir
