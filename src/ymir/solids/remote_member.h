// A block of another rank, as the rank that solves its cluster sees it: what the last messages said.
#pragma once

#include <memory>
#include <vector>

#include "ymir/parallel/message.h"
#include "ymir/solids/cluster_member.h"
#include "ymir/solids/correspondent.h"

namespace ymir {

class RemoteMember final : public ClusterMember, public Correspondent {
 public:
  void read_structure(MessageReader& in) override;
  void read_points(MessageReader& in) override;
  void read_residual(MessageReader& in) override { residual_ = in.get<double>(); }
  void read_matrix(MessageReader& in) override;
  void read_step(MessageReader& in) override;
  void write_forces(MessageWriter& out) const override;
  void write_solution(MessageWriter& out) const override { out.put(std::span<const double>(solution_)); }

  int add_port(int, const MaterialPoint&) override { return ports_++; }
  const NewtonSettings& settings() const override { return settings_; }
  int pieces() const override { return pieces_; }
  std::size_t size() const override { return solution_.size(); }  // slots, used or not
  Embedding point(int port) const override { return points_[static_cast<std::size_t>(port)]; }
  std::ptrdiff_t row(int port, int local) const override;
  void forget_forces() override;
  void add_force(int port, int local, double force, double stiffness) override;
  void add_lever(int port, Vec3d pull) override { pulls_[static_cast<std::size_t>(port)] += pull; }
  double residual(double) override { return residual_; }
  bool prepare(bool) override { return prepared_; }
  std::size_t parts() const override { return parts_.size(); }
  const MatrixPart& part(std::size_t part) const override { return *parts_[part]; }
  std::int64_t piece_of(std::size_t part) const override { return parts_[part]->piece; }
  Place place_of(std::size_t row) const override;
  void right_side(std::size_t part, double* b) override;
  void take(std::size_t part, const double* x) override;
  void set_step() override {}
  double step_size() const override { return step_size_; }
  double reach() const override { return reach_; }
  void move(double) override {}

 private:
  struct Part final : MatrixPart {
    std::int64_t piece = 0;
    std::int32_t node_count = 0;
    bool saddle = false;
    std::vector<std::int32_t> used;     // slots that are unknowns
    std::vector<std::int32_t> pattern;  // pairs of nodes
    std::vector<double> values;         // nine of each pair
    std::size_t first = 0;              // of its slots among those of the block

    std::size_t size() const override { return used.size(); }
    std::int32_t nodes() const override { return node_count; }
    std::int32_t slot(std::size_t row) const override { return used[row]; }
    void visit_blocks(const BlockVisitor& visit) const override;
    bool indefinite() const override { return saddle; }
  };
  struct Force {
    double force = 0, stiffness = 0;
  };

  int ports_ = 0, pieces_ = 0;
  NewtonSettings settings_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<std::size_t> first_;  // of the degrees of freedom of each port
  std::vector<std::int64_t> rows_;
  std::vector<Embedding> points_;
  std::vector<Force> forces_;
  std::vector<Vec3d> pulls_;
  std::vector<double> side_, solution_;  // over slots, part after part
  double residual_ = 0, step_size_ = 0, reach_ = 1;
  bool prepared_ = false;
};

}  // namespace ymir
