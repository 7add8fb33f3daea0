// A Coulomb problem as its solvers see it: without units (W over its mean diagonal, q over its root mean square), in
// vectors of contact_vector.h, every row with its diagonal block.
#pragma once

#include <cstdint>

#include "ymir/solvers/coulomb/contact_vector.h"
#include "ymir/solvers/coulomb/coulomb_problem.h"

namespace ymir::coulomb {

struct System {
  std::int32_t contacts = 0;
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> diagonal;  // place of the block (i, i)
  std::vector<Block> blocks;
  Vector q;
  std::vector<double> mu, weight;  // weight: w_i = tr W_ii / 3
  double size = 0;                 // |q|
  double largest = 0;              // max |q_i|
  double velocity = 1;             // [m/s] of one unit of q
  double impulse = 1;              // [N s] of one unit of r

  Mat3d own_block(std::int32_t i) const { return mat3(blocks[diagonal[i]]); }
  // u = W r + q + shift r
  void velocities(const Vector& r, const Vector& q_, double shift, Vector& u) const;
};

System scaled_system(const CoulombProblem& problem);
// Contacts that share a block of W have different colours; contacts by colour, ascending within one.
struct Colours {
  std::vector<std::int32_t> order;
  std::vector<std::int32_t> starts;  // of colours in `order`
};
Colours colour_contacts(const System& system);

// The measures by which an iterate is judged.
struct Judgement {
  double error = 0;    // E_s
  double impulse = 0;  // max w_i |r_i| over max |q_i|
};
Judgement judge(const System& system, const Vector& r, const Vector& u);

// Rows from which loops are shared by threads; below, starting threads costs more.
inline constexpr std::int32_t threaded_from = 8192, rows_per_task = 256;

}  // namespace ymir::coulomb
