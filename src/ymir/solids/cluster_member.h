// What a cluster sees of a block, wherever that is: points that couplings act on, and matrices for the whole system.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ymir/solids/member_matrix.h"
#include "ymir/solids/solid_block.h"

namespace ymir {

class ClusterMember : public MatrixSource {
 public:
  // An end of an element on this block; numbered from 0. All before begin().
  virtual int add_port(int place, const MaterialPoint& at) = 0;

  virtual const NewtonSettings& settings() const = 0;
  virtual int pieces() const = 0;
  virtual std::size_t size() const = 0;  // unknowns
  virtual Embedding point(int port) const = 0;
  virtual std::ptrdiff_t row(int port, int local) const = 0;  // of a degree of freedom of a port; -1: it is given

  // What couplings added before is of another iterate.
  virtual void forget_forces() {}
  // Of the couplings at a port: force against a degree of freedom, stiffness on its diagonal; dE/dx [N].
  virtual void add_force(int port, int local, double force, double stiffness) = 0;
  virtual void add_lever(int port, Vec3d pull) = 0;
  virtual double residual(double violation) = 0;

  // The parts of its matrix, and their right sides. definite: each is made so. False: it cannot be.
  virtual bool prepare(bool definite) = 0;
  virtual void set_step() = 0;  // all parts are taken

  virtual double step_size() const = 0;
  virtual double reach() const = 0;
  virtual void move(double share) = 0;
};

// A block of this rank.
class LocalMember : public ClusterMember {
 public:
  explicit LocalMember(std::unique_ptr<SolidBlock> block) : block_(std::move(block)) {}

  SolidBlock& block() { return *block_; }
  const SolidBlock& block() const { return *block_; }
  std::size_t ports() const { return ports_.size(); }
  void begin(const Step& step);

  int add_port(int place, const MaterialPoint& at) override;
  const NewtonSettings& settings() const override { return block_->settings(); }
  int pieces() const override { return block_->pieces(); }
  std::size_t size() const override { return block_->size(); }
  Embedding point(int port) const override;
  std::ptrdiff_t row(int port, int local) const override;
  void add_force(int port, int local, double force, double stiffness) override;
  void add_lever(int port, Vec3d pull) override;
  double residual(double violation) override { return block_->residual(violation); }
  bool prepare(bool definite) override;
  MemberMatrix& matrix() { return *matrix_; }
  std::size_t parts() const override { return matrix_->parts(); }
  const MatrixPart& part(std::size_t part) const override { return matrix_->part(part); }
  std::int64_t piece_of(std::size_t part) const override { return matrix_->piece_of(part); }
  Place place_of(std::size_t row) const override { return matrix_->place_of(row); }
  void right_side(std::size_t part, double* b) override { matrix_->right_side(part, b); }
  void take(std::size_t part, const double* x) override { matrix_->take(part, x); }
  // Right side of the block as it is now.
  void set_side();
  // Rows that couplings act on, by piece.
  std::vector<CondensedBlock::Ports> port_rows() const;
  void set_step() override;
  double step_size() const override { return block_->step_size(); }
  double reach() const override { return block_->reach(); }
  void move(double share) override { block_->move(share); }

 protected:
  std::span<const double> solution() const { return matrix_->whole(); }  // after all parts are taken

 private:
  struct Port {
    int place;
    MaterialPoint at;
  };
  std::unique_ptr<SolidBlock> block_;
  std::vector<Port> ports_;
  std::optional<MemberMatrix> matrix_;  // from begin() on
  std::vector<double> side_;            // of all unknowns
};

}  // namespace ymir
