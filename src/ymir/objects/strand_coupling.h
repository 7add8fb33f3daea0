// Strands held together by constraints between them: the manybodies solver. [Lesser2022, 6.5]
//
// Groups of strands that constraints connect form a cluster with one system A = blockdiag(A_strand) + sum J'WJ. Each
// strand's block is factored directly (band LDL') and preconditions conjugate gradients on A. Constraints between
// strands stay out of the blocks: the iteration count is then bounded by their number, however stiff they are. Hard
// constraints have multipliers, solved for through the dense Schur complement J A^-1 J' + 1/W. When CG fails, the whole
// matrix goes to the sparse direct solver.
#pragma once

#include <memory>
#include <vector>

#include "ymir/objects/strand_newton.h"
#include "ymir/pipeline/timeline.h"

namespace ymir {

class CurvesObject;

// A point on a strand of one of the objects.
struct StrandPoint {
  CurvesObject* object = nullptr;
  std::int64_t strand = 0;
  int edge = 1;  // as the solver numbers them: 1 is the first real one
  double u = 0;  // along the edge, 0 to 1
};

// A constraint linearised at the iterate: rows of J over the degrees of freedom of its two points.
struct CouplingTerm {
  static constexpr int max_rows = 14;  // 12 of an attachment, 2 of its geometric stiffness
  int rows = 0;
  double force[max_rows];      // y; of a hard one the multiplier
  double stiffness[max_rows];  // W
  double gap[max_rows];        // C of a hard one [m or 1]
  double j[max_rows][2 * EmbeddedPoint::max_dofs];
  int first[2];  // where each point's columns begin
  bool hard = false;
};

// Constraints between points of strands, as the solver asks for them.
class CouplingSource {
 public:
  virtual ~CouplingSource() = default;
  virtual std::size_t size() const = 0;
  virtual const StrandPoint& point(std::size_t element, int end) const = 0;  // 0 source, 1 target
  virtual void begin(std::size_t element, const EmbeddedPoint& a, const EmbeddedPoint& b) = 0;
  virtual void evaluate(std::size_t element, const EmbeddedPoint& a, const EmbeddedPoint& b, double dt,
                        CouplingTerm& term) = 0;
  // Of a hard element: its multipliers changed.
  virtual void advance(std::size_t element, const double* change) = 0;
  virtual void prepare(double time, double dt) = 0;
  virtual bool changing() const = 0;  // elements are made anew in every substep
};

class StrandCoupling {
 public:
  void add(std::shared_ptr<CouplingSource> source) { sources_.push_back(std::move(source)); }
  const std::vector<std::shared_ptr<CouplingSource>>& sources() const { return sources_; }
  // Objects it solves for, in the order in which they joined; the first one runs it.
  void join(CurvesObject* object) { members_.push_back(object); }
  const std::vector<CurvesObject*>& members() const { return members_; }

  // Finds the clusters of this substep; every group named by in_cluster() must be left to advance().
  void prepare(const Step& step);
  bool in_cluster(const CurvesObject* object, int group) const;
  StrandReport advance(const Step& step, const NewtonSettings& settings);

  // Iterations after which the direct solver takes over.
  void set_cg_limit(int iterations) { cg_limit_ = iterations; }
  // Of the last substep: most CG iterations of a solve, and solves the direct solver had to do.
  int cg_iterations() const { return cg_iterations_; }
  int direct_solves() const { return direct_solves_; }

 private:
  struct Member;
  struct Element;
  struct Cluster;
  StrandReport advance_cluster(Cluster& cluster, const Step& step, const NewtonSettings& settings);
  static bool solve_linear(Cluster& cluster);
  static bool direct(const Cluster& cluster, std::span<const double> b, std::span<double> x);

  std::vector<std::shared_ptr<CouplingSource>> sources_;
  std::vector<CurvesObject*> members_;
  std::vector<std::shared_ptr<Cluster>> clusters_;
  std::vector<std::pair<const CurvesObject*, int>> taken_;  // sorted
  int cg_iterations_ = 0, direct_solves_ = 0, cg_limit_ = 2000;
};

}  // namespace ymir
