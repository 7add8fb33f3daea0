// An Object made of pieces (strands, particles, meshes, rigid bodies) that couplings may connect with those of others.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ymir/solids/solid_block.h"

namespace ymir {

class SolidSystem;

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
  // Those that the system advances though nothing is coupled to them; on this rank, after seat().
  virtual std::vector<int> lone_blocks() const { return {}; }
  virtual bool pieces_leave() const = 0;  // a piece that is not here may have left the simulation
  // Forces change from one Newton iteration of the simulation to the next.
  virtual bool every_iteration() const = 0;
  virtual std::string name() const = 0;  // path of the object

  // The system that solves for what couplings connect; nullptr: nothing of this object is coupled.
  SolidSystem* system() const { return system_; }
  void join(SolidSystem* system) { system_ = system; }

 protected:
  // Whether the system advances this block.
  bool in_cluster(int block) const;

 private:
  SolidSystem* system_ = nullptr;
};

}  // namespace ymir
