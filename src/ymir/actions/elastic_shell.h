// Cloth and thin shells: triangles that resist stretching, and bending about their edges.
//
//   E = sum A w(C) + C_b' W C_b / 2,  C Green strain of a triangle (physics/shells/membrane.h), C_b its angles
//
// The stress sigma = dw/dC of a triangle is an unknown of its own, condensed away (primal-dual): Newton's method then
// takes full steps for fabrics that hardly stretch. [Volino2009; Tournier2015]
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ymir/objects/mesh_object.h"
#include "ymir/physics/shells/shell_weights.h"
#include "ymir/physics/shells/tensile_curve.h"

namespace ymir {

enum class BendingModel : std::uint8_t { mid, tri, hinge };

struct ElasticShellMaterial {
  // Thickness times moduli on (e11, e22, 2 e12), 1 along the warp and 2 along the weft [N/m].
  Packed3<double> stretch{1e4, 0, 1e4, 0, 0, 5e3};
  std::optional<TensileCurve> warp_curve, weft_curve;  // tension [N/m] by Green strain, instead of `stretch`
  double stretch_relaxation = 0;                       // Rayleigh damping of the strains [s]
  // Internal friction of stretch and shear [Dahl]: strain left when the load is gone, and change of it over which
  // friction develops. Of each strain (e11, e22, 2 e12) with its own modulus.
  double stretch_saturation = 0, stretch_length = 1;

  Packed3<double> bending{1e-5, 0, 1e-5, 0, 0, 5e-6};  // D_b on the curvatures (k11, k22, 2 k12) [N m]
  BendingModel model = BendingModel::mid;
  double bending_relaxation = 0;  // [s]
  bool flat = false;              // at rest; else as the mesh is
  // Folds sharper than this, beyond the rest shape, stay in part [1/m]; each of them then yields later, by `hardening`
  // times what has stayed.
  double yield_curvature = std::numeric_limits<double>::infinity();
  double hardening = 0;
  // Internal friction of bending [Dahl]: curvature left when the load is gone, and change of it over which friction
  // develops [1/m]. Of each angle with its own stiffness W_kk.
  double friction_saturation = 0, friction_length = 1;
};

// Directions of the warp, one for each triangle, not normal to it; before ingest. Returns how many edges have more than
// two triangles: there every pair of them bends like a hinge.
std::size_t add_elastic_shell(MeshObject& object, const std::string& owner, const ElasticShellMaterial& material,
                              const std::vector<Vec3d>& warp);

// Its two parts.
void add_shell_membrane(MeshObject& object, const std::string& owner, const ElasticShellMaterial& material,
                        const std::vector<Vec3d>& warp);
std::size_t add_shell_bending(MeshObject& object, const std::string& owner, const ElasticShellMaterial& material,
                              const std::vector<Vec3d>& warp);

}  // namespace ymir
