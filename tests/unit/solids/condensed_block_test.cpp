// A block condensed to the rows that couplings act on solves as the whole block does.
#include "ymir/solids/condensed_block.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "ymir/base/random.h"
#include "ymir/solids/cluster_member.h"
#include "ymir/solids/condensable.h"

namespace ymir {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Two pieces that do not depend on each other, ten unknowns each, interleaved as the lanes of strands are.
class TwoPieces final : public SolidBlock, public Condensable {
 public:
  static constexpr int pieces_here = 2, each = 10;

  TwoPieces() : a_(Matrix::Zero(20, 20)), b_(20) {
    Random random(7, 0);
    for (int piece = 0; piece < pieces_here; ++piece) {
      Matrix l(each, each);
      for (int i = 0; i < each; ++i)
        for (int j = 0; j < each; ++j) l(i, j) = random.uniform(-1, 1);
      const Matrix own = l * l.transpose() + Matrix::Identity(each, each) * 0.1;
      for (int i = 0; i < each; ++i)
        for (int j = 0; j < each; ++j) a_(at(piece, i), at(piece, j)) = own(i, j);
    }
    for (int i = 0; i < 20; ++i) b_[i] = random.uniform(-1, 1);
  }
  static int at(int piece, int i) { return i * pieces_here + piece; }
  const Matrix& matrix() const { return a_; }
  const Vector& side() const { return b_; }

  const NewtonSettings& settings() const override { return settings_; }
  int pieces() const override { return pieces_here; }
  void begin(const Step&) override {}
  void place() override {}
  std::size_t size() const override { return 20; }
  Embedding embedded(int, const MaterialPoint&) const override { return free_point({0, 0, 0}); }
  // A point has the unknowns `cell` to `cell` + 2 of its piece; the last one is given.
  std::ptrdiff_t row(int place, const MaterialPoint& p, int local) const override {
    return p.cell + local == each - 1 ? -1 : at(place, p.cell + local);
  }
  void assemble() override {}
  void add_force(std::size_t, double, double) override {}
  double residual(double) const override { return 0; }
  bool factor() override { return factor_without({}); }
  void right_side(double* b) const override { std::copy_n(b_.data(), 20, b); }
  Condensable* condensable() override { return this; }
  bool factor_without(std::span<const std::size_t> rows) override {
    factored_ = a_;
    for (const std::size_t r : rows) {
      const auto i = static_cast<Eigen::Index>(r);
      factored_.row(i).setZero();
      factored_.col(i).setZero();
      factored_(i, i) = 1;
    }
    return true;
  }
  void solve(const double* r, double* z) const override {
    Eigen::Map<Vector>(z, 20) = factored_.ldlt().solve(Eigen::Map<const Vector>(r, 20));
  }
  void product(const double* x, double* y) const override {
    Eigen::Map<Vector>(y, 20) = a_ * Eigen::Map<const Vector>(x, 20);
  }
  bool indefinite() const override { return false; }
  std::int32_t nodes() const override { return 7; }
  void visit_blocks(const BlockVisitor&) const override {}
  void set_step(const double* step) override { step_.assign(step, step + 20); }
  double step_size() const override { return 0; }
  double reach() const override { return 1; }
  void move(double) override {}
  void end() override {}

  const std::vector<double>& step() const { return step_; }

 private:
  NewtonSettings settings_;
  Matrix a_, factored_;
  Vector b_;
  std::vector<double> step_;
};

// Ports of the first piece: unknowns 2, 3, 4 and 7, 8 (9 is given); of the second: 0, 1, 2.
struct Case {
  TwoPieces* block;
  LocalMember member;

  Case() : Case(std::make_unique<TwoPieces>()) {}
  explicit Case(std::unique_ptr<TwoPieces> made) : block(made.get()), member(std::move(made)) {
    member.add_port(0, {nullptr, 4, 2, {0, 0, 0}});
    member.add_port(1, {nullptr, 9, 0, {0, 0, 0}});
    member.add_port(0, {nullptr, 4, 7, {0, 0, 0}});
    member.begin({});
  }
  static std::vector<int> rows(std::size_t part) {
    return part == 0 ? std::vector<int>{TwoPieces::at(0, 2), TwoPieces::at(0, 3), TwoPieces::at(0, 4),
                                        TwoPieces::at(0, 7), TwoPieces::at(0, 8)}
                     : std::vector<int>{TwoPieces::at(1, 0), TwoPieces::at(1, 1), TwoPieces::at(1, 2)};
  }
};

// B = ((A^-1)_pp)^-1, an identity of Schur complements.
TEST(CondensedBlock, IsTheInverseOfThePortsCompliance) {
  Case c;
  ASSERT_TRUE(c.member.prepare(false));
  ASSERT_EQ(c.member.parts(), 2u);
  EXPECT_EQ(c.member.piece_of(0), 4);
  EXPECT_EQ(c.member.piece_of(1), 9);
  const Matrix inverse = c.block->matrix().inverse();
  for (std::size_t part = 0; part < 2; ++part) {
    const std::vector<int> rows = Case::rows(part);
    const auto n = static_cast<Eigen::Index>(rows.size());
    Matrix compliance(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j)
        compliance(i, j) = inverse(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
    const Matrix stiffness = compliance.inverse();
    Matrix found = Matrix::Zero(3 * c.member.part(part).nodes(), 3 * c.member.part(part).nodes());
    c.member.part(part).visit_blocks([&](std::int32_t i, std::int32_t j, const double* values) {
      for (int k = 0; k < 9; ++k) found(3 * i + k / 3, 3 * j + k % 3) = found(3 * j + k % 3, 3 * i + k / 3) = values[k];
    });
    EXPECT_LT((found.topLeftCorner(n, n) - stiffness).norm(), 1e-11 * stiffness.norm());
  }
}

// Forces on the ports: the condensed matrix and expansion give the solution of the whole one.
TEST(CondensedBlock, ExpandsToTheSolutionOfTheWhole) {
  Case c;
  ASSERT_TRUE(c.member.prepare(false));
  Vector force = c.block->side();
  for (std::size_t part = 0; part < 2; ++part) {
    const std::vector<int> rows = Case::rows(part);
    const auto n = static_cast<Eigen::Index>(rows.size());
    std::vector<double> side(3 * static_cast<std::size_t>(c.member.part(part).nodes()), 0);
    c.member.right_side(part, side.data());
    Matrix b(n, n);
    c.member.part(part).visit_blocks([&](std::int32_t i, std::int32_t j, const double* values) {
      for (int k = 0; k < 9; ++k)
        if (3 * i + k / 3 < n && 3 * j + k % 3 < n)
          b(3 * i + k / 3, 3 * j + k % 3) = b(3 * j + k % 3, 3 * i + k / 3) = values[k];
    });
    Vector r(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      const double extra = 0.3 * static_cast<double>(k + 1);
      force[rows[static_cast<std::size_t>(k)]] += extra;
      r[k] = side[static_cast<std::size_t>(k)] + extra;
      EXPECT_EQ(c.member.place_of(static_cast<std::size_t>(rows[static_cast<std::size_t>(k)])).slot, k);
    }
    const Vector x = b.ldlt().solve(r);
    c.member.take(part, x.data());
  }
  c.member.set_step();
  const Vector exact = c.block->matrix().ldlt().solve(force);
  // The unknowns that are no ports follow from b alone; forces on ports reach them through the ports.
  EXPECT_LT((Eigen::Map<const Vector>(c.block->step().data(), 20) - exact).norm(), 1e-11 * exact.norm());
}

}  // namespace
}  // namespace ymir
