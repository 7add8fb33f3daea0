// Advection: carries fields of a gas along its velocity, on tiles, over any distance. [Lesser2022, 7.4; Selle 2008;
// method notes C, 6]
//
//   semi_lagrangian  f' = S f,  S f (x) = f(end of the path traced back from x)
//   mac_cormack      a = S f, b = S^-1 a, f' = a + (f - b)/2
//   bfecc            f' = S (f + (f - b)/2)
//
// The two differ in where half of the error f - b is put right: where it was found, or where the gas carries it. Over
// moves of a voxel and more only the latter is the place of the error; it takes a third pass.
//
// With `limit` the result of the last two is kept within the eight samples around the end of the path; where one of
// those is not gas, it is S f.
//
// Cells: what lies outside (and tiles that do not exist: the background of `cell` says what they hold) is ambient air,
// the background of each field. Solids give no value to cells: the weights of the others are scaled up, and a cell
// with none keeps what it had. Faces take part in solids as well: extend the velocity into them first
// (extrapolation.h). Nothing crosses a sheet; beside one the result is S f with linear interpolation (sheet_paths.h).
// Samples without gas on either side keep what the source holds.
#pragma once

#include <span>
#include <vector>

#include "ymir/fluid/gas_grid.h"
#include "ymir/fluid/interpolation.h"

namespace ymir {

enum class AdvectionScheme : std::uint8_t { semi_lagrangian, mac_cormack, bfecc };

struct AdvectionOptions {
  AdvectionScheme scheme = AdvectionScheme::bfecc;
  Interpolation interpolation = Interpolation::linear;
  bool limit = true;
  bool look_up = false;  // look up every sample, as paths do that leave their neighbourhood: same bits, slower
};

struct Transported {
  ChannelId<float> source, destination;  // different, both cell- or both face-sampled
};

enum class AdvectionStep : std::uint8_t;  // advection_tile.h

class Advection {
 public:
  Advection(DiscreteVolume& volume, ChannelId<std::uint8_t> cell);
  ~Advection();

  // Channel with the marks of GasGrid::sheets; invalid: there are none.
  void set_sheets(ChannelId<std::uint8_t> sheets) { sheets_ = sheets; }

  // destination = source carried over dt [s] along a face-sampled velocity [m/s], which may be one of the sources.
  // Collective.
  void advect(ChannelId<float> along, std::span<const Transported> fields, double dt,
              const AdvectionOptions& options = {});

  // Of the last advect(), on all ranks: paths that a velocity beyond all bounds (or NaN) kept from going on.
  std::int64_t frozen_traces() const { return frozen_; }
  // Tiles of this rank whose paths left their neighbourhood, in all passes of the last advect().
  std::int64_t far_tiles() const { return far_; }
  // Tiles of other ranks that such paths made this rank fetch, beyond those that touch its own.
  std::int64_t fetched_tiles() const { return fetched_; }

 private:
  struct Workspace;
  struct Scratch {
    ChannelId<float> predicted, low, high;
  };
  const Scratch& scratch(Sampling sampling, std::size_t n);
  void summarise(ChannelId<float> along);
  const std::uint8_t* exchanged(ChannelId<std::uint8_t> id);  // the first tile; null without a channel
  void pass(AdvectionStep step, ChannelId<float> along, std::span<const Transported> fields, double dt,
            const AdvectionOptions& options);
  int add_sources(ChannelId<float> id);  // the first of its components
  void add_parts(const Transported& field, const Scratch& scratch);
  void run_pass();

  DiscreteVolume* volume_;
  ChannelId<std::uint8_t> cell_, sheets_;
  std::vector<Scratch> cell_scratch_, face_scratch_;
  std::unique_ptr<Workspace> work_;
  std::int64_t frozen_ = 0, far_ = 0, fetched_ = 0;
};

}  // namespace ymir
