// Coulomb problems with known structure: fibre-like random ones, and chains of blocks.
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <utility>
#include <vector>

#include "ymir/base/random.h"
#include "ymir/solvers/coulomb/coulomb_problem.h"

namespace ymir {

// Objects with `freedoms` coordinates each and a random positive mass matrix; every contact touches two of them through
// random gradients [method notes, coulomb, 7].
struct RandomBodies {
  Eigen::MatrixXd mass, inverse, gradient;  // M, M^-1 and H: u = H v
  Eigen::VectorXd velocity;                 // without contacts
  std::vector<double> mu;

  RandomBodies(int objects, int freedoms, int contacts, double friction, std::uint64_t seed) {
    Random random(seed, 0);
    const auto fill = [&](auto&& a) {
      for (Eigen::Index i = 0; i < a.rows(); ++i)
        for (Eigen::Index j = 0; j < a.cols(); ++j) a(i, j) = random.uniform(-1, 1);
    };
    const int size = objects * freedoms;
    mass = Eigen::MatrixXd::Zero(size, size);
    gradient = Eigen::MatrixXd::Zero(3 * contacts, size);
    velocity.resize(size);
    for (int o = 0; o < objects; ++o) {
      Eigen::MatrixXd a(freedoms, freedoms);
      fill(a);
      mass.block(o * freedoms, o * freedoms, freedoms, freedoms) =
          a * a.transpose() + Eigen::MatrixXd::Identity(freedoms, freedoms);
    }
    for (int c = 0; c < contacts; ++c) {
      const int a = static_cast<int>(random.uniform() * objects);
      const int b = (a + 1 + static_cast<int>(random.uniform() * (objects - 1))) % objects;
      fill(gradient.block(3 * c, a * freedoms, 3, freedoms));
      fill(gradient.block(3 * c, b * freedoms, 3, freedoms));
    }
    for (int i = 0; i < size; ++i) velocity[i] = random.uniform(-1, 1);
    inverse = mass.inverse();
    mu.assign(static_cast<std::size_t>(contacts), friction);
  }

  CoulombProblem problem() const {
    const Eigen::MatrixXd w = gradient * inverse * gradient.transpose();
    const Eigen::VectorXd q = gradient * velocity;
    std::vector<CoulombBlock> blocks;
    std::vector<Vec3d> free;
    for (int i = 0; i < w.rows() / 3; ++i) {
      free.push_back({q[3 * i], q[3 * i + 1], q[3 * i + 2]});
      for (int j = 0; j < w.cols() / 3; ++j) {
        if (w.block(3 * i, 3 * j, 3, 3).isZero(0)) continue;
        Mat3d block;
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b) block(a, b) = w(3 * i + a, 3 * j + b);
        blocks.push_back({i, j, block});
      }
    }
    return coulomb_problem(std::move(blocks), std::move(free), mu);
  }
};

inline Eigen::VectorXd flat(const std::vector<Vec3d>& v) {
  Eigen::VectorXd x(3 * static_cast<Eigen::Index>(v.size()));
  for (std::size_t i = 0; i < v.size(); ++i)
    for (int a = 0; a < 3; ++a) x[static_cast<Eigen::Index>(3 * i) + a] = v[i][a];
  return x;
}

// Blocks of 1 kg in a row against a wall, the last one pushed to it at 1 m/s: the wall gives 1 N s.
inline CoulombProblem chain_to_wall(int blocks_in_chain, double friction = 0) {
  std::vector<CoulombBlock> blocks;
  std::vector<Vec3d> q(static_cast<std::size_t>(blocks_in_chain));
  for (int i = 0; i < blocks_in_chain; ++i) {
    blocks.push_back({i, i, identity3() * (i == 0 ? 1.0 : 2.0)});
    if (i > 0) {
      blocks.push_back({i, i - 1, identity3() * -1.0});
      blocks.push_back({i - 1, i, identity3() * -1.0});
    }
  }
  q.back().x = -1;
  return coulomb_problem(std::move(blocks), std::move(q),
                         std::vector<double>(static_cast<std::size_t>(blocks_in_chain), friction));
}

}  // namespace ymir
