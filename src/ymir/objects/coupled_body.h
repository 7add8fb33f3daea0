// What a coupled system solves for: bodies, each with a block of unknowns of its own, and the Objects they belong to.
//
// A body is a group of strands or a single particle. Constraints see its points (EmbeddedPoint), the solver its block
// of the matrix.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ymir/objects/embedded_point.h"
#include "ymir/objects/strand_newton.h"
#include "ymir/pipeline/timeline.h"
#include "ymir/solvers/sparse_matrix.h"

namespace ymir {

class CoupledObject;
class CoupledSystem;

// A point of one of the objects: on an edge of a strand, or a particle.
struct ObjectPoint {
  CoupledObject* object = nullptr;  // nullptr: prescribed, it belongs to no object
  std::int64_t piece = 0;           // number of the strand, id of the particle
  int edge = 1;                     // of a strand, as the solver numbers them: 1 is the first real one
  double u = 0;                     // along the edge, 0 to 1
};

// Larger of two residuals; what is not a number is worse than all.
inline double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

class CoupledBody {
 public:
  virtual ~CoupledBody() = default;
  virtual const NewtonSettings& settings() const = 0;
  virtual int pieces() const = 0;

  // The state at the beginning of the substep; then where Newton's method starts from.
  virtual void begin(const Step& step) = 0;
  virtual void place() = 0;
  virtual std::size_t size() const = 0;  // unknowns, after begin()
  // place: of the piece in the body. row: where a local degree of freedom of the point stands; -1 when it is given.
  virtual EmbeddedPoint embedded(int place, const ObjectPoint& at) const = 0;
  virtual std::ptrdiff_t row(int place, const ObjectPoint& at, int local) const = 0;

  virtual void assemble() = 0;
  // A constraint's share of a row: force against it, stiffness on the diagonal.
  virtual void add_force(std::size_t row, double force, double stiffness) = 0;
  // Largest residual displacement, unit-free, when hard constraints are violated by `violation` [m or 1].
  virtual double residual(double violation) const = 0;
  // Matrix of the body alone, without constraints to others. False: it cannot be made definite.
  virtual bool factor() = 0;
  virtual void right_side(double* b) const = 0;
  virtual void solve(const double* r, double* z) const = 0;
  virtual void product(const double* x, double* y) const = 0;
  virtual bool indefinite() const = 0;  // its matrix has multipliers
  virtual void entries(std::int32_t first, std::vector<Triplet>& lower) const = 0;

  virtual void set_step(const double* step) = 0;
  virtual double step_size() const = 0;  // unit-free, as the residual
  virtual double reach() const = 0;      // share of the step that may be taken at once
  virtual void move(double share) = 0;
  virtual void end() = 0;
};

// An Object whose pieces constraints may connect with those of others.
class CoupledObject {
 public:
  virtual ~CoupledObject() = default;
  // Where pieces (ascending) are on this rank; bodies are numbered until the next call.
  struct Seat {
    int body = -1;  // -1: not here
    int place = 0;
  };
  virtual std::vector<Seat> seat(std::span<const std::int64_t> pieces) = 0;
  virtual std::unique_ptr<CoupledBody> make_body(int body) = 0;
  virtual bool pieces_leave() const = 0;  // a piece that is not here may have left the simulation

  // Constraints to other objects; one of these solves for all.
  const std::shared_ptr<CoupledSystem>& coupling() const { return coupling_; }
  void set_coupling(std::shared_ptr<CoupledSystem> coupling) { coupling_ = std::move(coupling); }

 protected:
  std::shared_ptr<CoupledSystem> coupling_;
};

}  // namespace ymir
