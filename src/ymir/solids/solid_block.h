// Unknowns that are assembled and factored together: a group of strands (band), a mesh (sparse), a rigid body, a
// particle.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "ymir/pipeline/timeline.h"
#include "ymir/solids/embedding.h"
#include "ymir/solids/matrix_part.h"
#include "ymir/solids/newton_settings.h"

namespace ymir {

class ContactBlock;
class SolidObject;

// A point of a piece of an object, whatever it is made of.
struct MaterialPoint {
  SolidObject* object = nullptr;  // nullptr: prescribed, it belongs to no object
  std::int64_t piece = 0;         // number of the strand, id of the particle
  std::int32_t cell = 1;          // edge of a strand, as the solver numbers them: 1 is the first real one
  Vec3d weights{0, 0, 0};         // where in the cell; of an edge x: along it, 0 to 1; of a rigid body its own axes [m]
};

// Larger of two residuals; what is not a number is worse than all.
inline double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

class SolidBlock : public MatrixPart {
 public:
  virtual const NewtonSettings& settings() const = 0;
  virtual int pieces() const = 0;

  // The state at the beginning of the substep; then where Newton's method starts from.
  virtual void begin(const Step& step) = 0;
  virtual void place() = 0;
  // size(): after begin(). place: of the piece in the block. row: where a local degree of freedom of the point stands;
  // -1 when it is given.
  virtual Embedding embedded(int place, const MaterialPoint& at) const = 0;
  virtual std::ptrdiff_t row(int place, const MaterialPoint& at, int local) const = 0;

  virtual void assemble() = 0;
  // A coupling's share of a row: force against it, stiffness on the diagonal.
  virtual void add_force(std::size_t row, double force, double stiffness) = 0;
  // The pull dE/dx [N] of a coupling on a point turns with it where positions are not linear in the unknowns.
  virtual void add_lever(int /*place*/, const MaterialPoint& /*at*/, Vec3d /*pull*/) {}
  // Largest residual displacement, unit-free, when hard couplings are violated by `violation` [m or 1].
  virtual double residual(double violation) const = 0;
  // Matrix of the block alone, without couplings to others. False: it cannot be made definite.
  virtual bool factor() = 0;
  // The same without a factor that anyone asks for, where that is less.
  virtual bool make_definite() { return factor(); }
  virtual void right_side(double* b) const = 0;
  virtual void solve(const double* r, double* z) const = 0;
  virtual void product(const double* x, double* y) const = 0;

  virtual void set_step(const double* step) = 0;
  virtual double step_size() const = 0;  // unit-free, as the residual
  virtual double reach() const = 0;      // share of the step that may be taken at once
  virtual void move(double share) = 0;
  // The iterate, to go back to from a step that was too long; false: it cannot be kept.
  virtual bool keep() { return false; }
  virtual void go_back() {}
  virtual void end() = 0;
  // What contacts act on; nullptr: they cannot.
  virtual ContactBlock* contacts() { return nullptr; }
  // Where ranks share it, one leads: its large() is solved with the help of the others, which assist() until they are
  // dismissed.
  virtual void consult() {}  // of all ranks, before assemble()
  virtual void assist() {}
  virtual void dismiss() {}
};

}  // namespace ymir
