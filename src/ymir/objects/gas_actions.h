// What Actions give to a Volume Object: accelerations, sources, changes of its channels, and ties to other Objects.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ymir/data/discrete_volume.h"
#include "ymir/math/box.h"
#include "ymir/physics/planes.h"
#include "ymir/pipeline/timeline.h"

namespace ymir {

// Adds to the acceleration of faces [m/s^2].
struct GasForce {
  std::string owner;  // path of the behavior
  std::string what;
  std::function<void(const Step&, ChannelId<float> acceleration)> accumulate;
};

// Puts material or motion into the gas at the end of a substep; tiles around its bounds are simulated.
struct GasSource {
  std::string owner;
  std::string what;
  std::function<Box(double begin, double end)> bounds;  // of all it reaches between two times; empty: nothing
  std::function<void(const Step&)> emit;
  std::function<void(const Step&)> feed;  // optional: adds to the volume source before the pressure is solved
};

// Changes channels once per substep, after advection.
struct GasOperator {
  std::string owner;
  std::string what;
  std::function<void(const Step&)> apply;
};

// Air around the gas that moves on its own: the velocity at points of the rim, and what it is on average in space
// [m/s].
struct GasWind {
  std::string owner;
  std::string what;
  std::function<void(int count, ConstVec3Planes x, double time, Vec3Planes out)> sample;
  std::function<Vec3d(double time)> mean;
};

// Gas that the points of an Object carry along, in the order of visit_points. (physics/fluid/added_mass.h)
struct Dressing {
  std::vector<Vec3d> virtual_mass;  // a, per component; of strands: across them, in each
  std::vector<Vec3d> added;         // a rho V of what has room in faces [kg]
};

// What other Objects and the gas do to each other, in the Newton loop: solids are solved `passes` times in all, the gas
// after each of them but the last. [method notes C, 7]
class GasCoupling {
 public:
  virtual ~GasCoupling() = default;
  virtual const std::string& owner() const = 0;
  virtual std::string what() const = 0;
  virtual int passes() const = 0;
  // When everything is there, before the first substep.
  virtual void begin() {}
  // When a substep begins: finds the points of objects. True: some of them carry gas along.
  virtual bool collect(const Step&) { return false; }
  // Then: adds the share of faces that they take [1], for all couplings before the next.
  virtual void take_room(ChannelId<double> /*room*/) {}
  // Then: what objects with the gas that they carry leave to the rest of it, and how they give way to the pressure.
  // `room` is invalid where nothing is carried.
  virtual void dress(ChannelId<double> /*room*/) {}
  // Adds the share of faces that the carried gas takes.
  virtual void take_carried_room(ChannelId<double> /*room*/) {}
  // Adds the flow of the carried gas [m/s], with the gas at `velocity`.
  virtual void carry(ChannelId<float> /*velocity*/, ChannelId<double> /*flow*/) {}
  // Before solids are solved.
  virtual void prepare(const Step& step) = 0;
  // After that: the flow of objects, if they take room.
  virtual void occupy(const Step&) {}
  // Then: changes the velocity of the gas, which holds what it is without coupling, before its pressure.
  virtual void react(const Step& step, ChannelId<float> velocity) = 0;
  // Then: adds the flow of the gas at `velocity` through objects that let it pass along them only.
  virtual void let_through(ChannelId<float> /*velocity*/) {}
  // After the last pass over solids: gives the gas what objects felt beyond what it was told.
  virtual void finish(const Step&, ChannelId<float> /*velocity*/) {}
  // flow += what the flow of objects, as occupy() gave it, loses for a slope of the pressure's potential dt p/rho, both
  // on faces [m/s]: symmetric, and at most the mobility of dress() in each sum of a row. Called many times;
  // collective.
  virtual void give_way(ChannelId<double> /*slope*/, ChannelId<double> /*flow*/) {}
  // After the last pass: how far what objects felt is from what the law asks for at the velocities reached, relative.
  // Collective; nothing where the gas and objects do not answer each other.
  virtual std::optional<double> mismatch() { return std::nullopt; }
  // The pressure is known: the slope of its potential, times the open fraction of faces [m/s].
  virtual void feel_pressure(const Step&, ChannelId<double> /*slope*/) {}
};

}  // namespace ymir
