// Hard rows of a linear system, of which some have multipliers with bounds: limits, motors, friction.
//
//   A d + J'dl = b,   y = J d + C:   y = 0 where low < l + dl < high,   y <= 0 at low,   y >= 0 at high
//
// A convex quadratic problem, solved to the end in each iteration of Newton's method. Which rows are held is found by
// the primal-dual active set: those whose multipliers would leave their bounds stay there, those that move the wrong
// way are held. Coupled as closely as the links of a chain are, it may go round in circles. Then the path of interior
// points
//
//   y = s/(high - m) - s/(m - low) + D (m' - m),   D = z_high/(high - m) + z_low/(m - low)
//
// (m multipliers, z their slacks, s -> 0) leads to the set from which it goes on: its iterations hardly grow with the
// number of rows, each is a solve with compliances D.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ymir/solids/coupled_rows.h"

namespace ymir {

enum class Solved : std::uint8_t { yes, indefinite, no };

class BoundedRows {
 public:
  // By number of the hard row. Rows of a solve: J d - give dl = target; with infinite give, dl = change is given.
  std::vector<double> give, target, change;
  std::vector<double> moved;  // J d of bounded rows

  // own: compliance of each row by itself, 0 of those over nothing that moves; yield: what hard rows give.
  void begin(std::span<const CoupledRows> coupled, std::span<const double> own, std::span<const double> yield);
  // solve() takes give and target and sets change and moved.
  using Solve = std::function<Solved()>;
  Solved settle(const Solve& solve);
  bool any() const { return !bounded_.empty(); }
  // Solves of the last settle().
  int solves() const { return solves_; }

 private:
  enum class State : std::uint8_t { held, low, high };
  struct Row {
    std::size_t number;
    double low, high, force, gap, yield;
    State state;
    double multiplier = 0, slack_low = 0, slack_high = 0;  // of interior points
  };

  void pose(Row& row);
  Solved try_sets(const Solve& solve, int most, bool& settled);
  int switch_states();
  Solved approach(const Solve& solve);
  void start_inside();
  double complementarity();
  void pose_inside(double s);
  void step_inside(double s);

  std::vector<Row> bounded_;
  double share_ = 1;  // of the last step between interior points
  // What is large in multipliers and motions: of the tamest of the sets that were tried; of interior points.
  double least_force_ = 0, least_motion_ = 0, most_force_ = 0, most_motion_ = 0;
  int solves_ = 0;
};

}  // namespace ymir
