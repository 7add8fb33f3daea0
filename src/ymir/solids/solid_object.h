// An Object made of pieces (strands, particles, meshes, rigid bodies) that couplings may connect with those of others.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ymir/solids/piece_shape.h"
#include "ymir/solids/solid_block.h"

namespace ymir {

class Boundary;
class SolidSystem;
struct BoundaryVertex;
struct LoneContact;
struct PieceTraits;

class SolidObject {
 public:
  virtual ~SolidObject() = default;
  // Where pieces (ascending) are on this rank; blocks are numbered until the next call.
  struct Seat {
    int block = -1;  // -1: not here
    int place = 0;
  };
  virtual std::vector<Seat> seat(std::span<const std::int64_t> pieces) = 0;
  virtual std::unique_ptr<SolidBlock> make_block(int block) = 0;
  // Where a block of this rank stands among those of all.
  virtual std::int64_t order_of(int block) const { return block; }
  // Before ingest: pieces that share a block on one rank share it on several. For those where that makes a difference.
  virtual void keep_blocks() {}
  // The rank that has all of it; -1: each has some of its pieces.
  virtual int owner() const { return -1; }
  // Before ingest: all of it is on that rank. False: it cannot be.
  virtual bool keep_on(int /*rank*/) { return false; }
  // Contacts of what it touches are solved with the matrices of all (whole_contacts.h).
  virtual bool thin() const { return false; }
  // Those that the system advances though nothing is coupled to them; on this rank, after seat().
  virtual std::vector<int> lone_blocks() const { return {}; }
  // The rank that leads the work on its only block, where all ranks share that; -1: they do not.
  virtual int lead() const { return -1; }
  // Collective, when all clusters are solved: what ranks that share it tell each other.
  virtual void share_outcome() {}
  // Unknowns of a block that is large: the rank that has the largest of a cluster solves for it.
  virtual std::size_t bulk() const { return 0; }
  virtual bool pieces_leave() const = 0;  // a piece that is not here may have left the simulation
  // Pieces are many and small, and change their seats from substep to substep. Each is a block, until those on which
  // contacts are become blocks together: of these blocks, those with the same number of an island. Their seats then.
  virtual bool loose() const { return false; }
  virtual std::vector<Seat> gather(std::span<const int> /*blocks*/, std::span<const std::int32_t> /*islands*/) {
    return {};
  }
  // Nothing but colliders pushes the piece at a seat of such a block, and its object moves it by itself.
  virtual void release(const Seat& /*seat*/) {}
  // Forces change from one Newton iteration of the simulation to the next.
  virtual bool every_iteration() const = 0;
  // The substep is solved again, under other forces: what constraints remember is as when it began.
  virtual void restart() {}
  virtual std::string name() const = 0;  // path of the object

  // Its pieces as attachments look at them: before ingest, of all ranks; and as they are now, of this rank, in order.
  virtual std::vector<PieceShape> input_shapes() = 0;
  virtual std::vector<PieceShape> present_shapes() = 0;
  // Place and frame of a point of such a piece.
  virtual Embedding point_of(const PieceShape& shape, const MaterialPoint& at) const = 0;
  // Point of the skin of a body.
  virtual MaterialPoint on_skin(std::int64_t /*piece*/, std::int32_t /*triangle*/, Vec3d /*barycentric*/) { return {}; }

  // Where its pieces end, as contacts see them: those of this rank are added in ascending order, under the number of
  // the object. thickness: of what is kept free between two of them [m].
  virtual void show_boundary(Boundary& /*boundary*/, std::int32_t /*object*/, double /*thickness*/,
                             const PieceTraits& /*traits*/) {}
  // Strands at least as thick touch at their surfaces, where friction turns them; thinner ones at their axes [m].
  void roll_from(double radius) { rolls_from_ = radius; }
  double rolls_from() const { return rolls_from_; }
  // Values of data for a parameter of contact: whether it brings any, before ingest; then at the vertices that it
  // shows, in their order.
  virtual bool brings(std::string_view /*parameter*/) { return false; }
  virtual std::vector<double> painted_boundary(std::string_view /*parameter*/) const { return {}; }
  virtual std::uint64_t boundary_version() const { return 0; }  // another one: pieces are others than before
  // Of the piece at a seat: where its vertices are, and their way in dt [s] with the velocity they have.
  virtual void move_boundary(int /*block*/, int /*place*/, double /*dt*/,
                             std::span<BoundaryVertex> /*vertices*/) const {}

  // Whether it solves for exact contacts of blocks that touch nothing but colliders while it advances them.
  virtual bool solves_contacts() const { return false; }
  // Those of the substep, by blocks, in every substep; they stay where they are. tolerance: of E_s.
  virtual void take_contacts(std::span<LoneContact> /*contacts*/, double /*tolerance*/) {}

  // The system that solves for what couplings connect; nullptr: nothing of this object is coupled.
  SolidSystem* system() const { return system_; }
  void join(SolidSystem* system) { system_ = system; }

 protected:
  // Whether the system advances this block.
  bool in_cluster(int block) const;

 private:
  SolidSystem* system_ = nullptr;
  double rolls_from_ = std::numeric_limits<double>::infinity();
};

}  // namespace ymir
