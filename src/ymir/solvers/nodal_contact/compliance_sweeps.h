// Gauss-Seidel on the compliances of pieces, for problems where the splitting stalls.
//
//   C = N M^-1 N' of every piece that contacts touch, in single precision; v of its nodes in double. Contact by
//   contact: W_ii r + b in Coulomb's law, v += C H'(change of r)
//
// Memory is (3 nodes)^2 numbers per piece and a contact costs the nodes of two pieces: many times the splitting. One
// thread.
#pragma once

#include <vector>

#include "ymir/math/mat3.h"
#include "ymir/solvers/nodal_contact/contact_lanes.h"

namespace ymir {

class NodalContact;

class ComplianceSweeps {
 public:
  // False: a piece is too large for that.
  bool build(const NodalContact& problem);
  // On the problem's impulses, as they are.
  void run(NodalContact& problem, int sweeps);
  std::size_t memory() const;

 private:
  struct Piece {
    std::int32_t first = 0, nodes = 0;
    std::size_t compliance = 0;
    bool touched = false;
  };
  struct Touch {
    std::int32_t piece, node;  // in the piece
    double weight;
  };
  struct Row {
    Mat3d w;
    std::size_t first, end;  // touches
  };
  void find_pieces(const NodalContact& problem);
  void find_columns(const NodalContact& problem);
  void find_rows(const NodalContact& problem);
  Mat3d block(const Touch& a, const Touch& b) const;
  void push(const Row& row, Vec3d impulse);
  static constexpr std::int32_t most_nodes = 1000;

  std::vector<Piece> pieces_;
  std::vector<std::int32_t> piece_of_;  // by node
  std::vector<float> c_;                // column by column
  std::vector<double> v_;               // 3 per node
  std::vector<Touch> touches_;
  std::vector<Row> rows_;  // by place; first == end: none
};

// Impulse r with u = W r + b in Coulomb's law, W symmetric positive definite; in the frame (n, t1, t2) that W and b are
// given in. Sliding is a search for the alpha of u_T = -alpha r_T: (W + alpha I_T) r = -b, |r_T| = mu r_N.
Vec3d local_coulomb(const Mat3d& w, Vec3d b, double mu);

}  // namespace ymir
