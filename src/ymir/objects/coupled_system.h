// Bodies held together by constraints between them: the manybodies solver. [Lesser2022, 6.5]
//
// Bodies (groups of strands, particles) that constraints connect form a cluster with one system
// A = blockdiag(A_body) + sum J'WJ. Each body's block is factored directly (band LDL' of strands, 3x3 of a particle)
// and preconditions conjugate gradients on A. Constraints between bodies stay out of the blocks: the iteration count is
// then bounded by their number, however stiff they are. Hard constraints have multipliers, solved for through the dense
// Schur complement J A^-1 J' + 1/W. When CG fails, the whole matrix goes to the sparse direct solver.
#pragma once

#include <memory>
#include <vector>

#include "ymir/base/check.h"
#include "ymir/objects/coupled_body.h"

namespace ymir {

// A constraint linearised at the iterate: rows of J over the degrees of freedom of its two points.
struct CouplingTerm {
  static constexpr int max_rows = 14;  // 12 of an attachment, 2 of its geometric stiffness
  int rows = 0;
  int hard = 0;                // the first of them are held by multipliers
  double force[max_rows];      // y; of a hard row the multiplier
  double stiffness[max_rows];  // W
  double gap[max_rows];        // C of a hard row [m or 1]
  double j[max_rows][2 * EmbeddedPoint::max_dofs];
  int first[2];  // where each point's columns begin
};

// Constraints between points of bodies, as the solver asks for them.
class CouplingSource {
 public:
  virtual ~CouplingSource() = default;
  virtual std::size_t size() const = 0;
  virtual const ObjectPoint& point(std::size_t element, int end) const = 0;  // 0 source, 1 target
  // Where a target without an object is, at the beginning or the end of the substep.
  virtual EmbeddedPoint prescribed(std::size_t element, bool at_begin) const = 0;
  virtual void begin(std::size_t element, const EmbeddedPoint& a, const EmbeddedPoint& b) = 0;
  virtual void evaluate(std::size_t element, const EmbeddedPoint& a, const EmbeddedPoint& b, double dt,
                        CouplingTerm& term) = 0;
  // Of an element with hard rows: their multipliers changed.
  virtual void advance(std::size_t element, const double* change, int rows) = 0;
  virtual void prepare(double time, double dt) = 0;
  virtual bool changing() const = 0;  // elements are made anew in every substep
};

class CoupledSystem {
 public:
  void add(std::shared_ptr<CouplingSource> source) { sources_.push_back(std::move(source)); }
  const std::vector<std::shared_ptr<CouplingSource>>& sources() const { return sources_; }
  // Objects it solves for, in the order in which they joined; the first one runs it.
  void join(CoupledObject* object) { members_.push_back(object); }
  const std::vector<CoupledObject*>& members() const { return members_; }
  bool led_by(const CoupledObject* object) const { return !members_.empty() && members_.front() == object; }

  // Finds the clusters of this substep; every body named by in_cluster() must be left to advance().
  void prepare(const Step& step);
  bool in_cluster(const CoupledObject* object, int body) const;
  StrandReport advance(const Step& step);

  // Iterations in one Newton step after which the direct solver takes over.
  void set_cg_limit(int iterations) { cg_limit_ = iterations; }
  // Of the last substep: most CG iterations of a solve, and solves the direct solver had to do.
  int cg_iterations() const { return cg_iterations_; }
  int direct_solves() const { return direct_solves_; }

 private:
  struct Link;
  struct Member;
  struct Element;
  struct Cluster;
  std::vector<Link> find_links() const;
  static StrandReport advance_cluster(Cluster& cluster, const Step& step);
  static bool converged(const Cluster& cluster, double violation, StrandReport& report);
  static bool solve_linear(Cluster& cluster);
  static bool solve_hard(Cluster& cluster);
  static bool solve_soft(Cluster& cluster, std::span<const double> b, std::span<double> x);
  static bool factor_whole(Cluster& cluster);

  std::vector<std::shared_ptr<CouplingSource>> sources_;
  std::vector<CoupledObject*> members_;
  std::vector<std::shared_ptr<Cluster>> clusters_;
  std::vector<std::pair<const CoupledObject*, int>> taken_;  // sorted
  int cg_iterations_ = 0, direct_solves_ = 0;
  int cg_limit_ = 300;  // a factor of the whole takes about as long as a hundred
};

}  // namespace ymir
