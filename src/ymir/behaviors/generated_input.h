// Inputs that are made instead of read, so that a setup needs no files: grooms, cords, rods, a head, a box.
//
//   struct Params : GeneratedInput { ... };
//   return with_generated(Schema<Params>("input", "...") ... );
#pragma once

#include <optional>
#include <string>

#include "ymir/data/animated_surface.h"
#include "ymir/data/deformation.h"
#include "ymir/grooms/cords.h"
#include "ymir/grooms/style.h"
#include "ymir/param/schema.h"

namespace ymir {

// What is absent is as the style has it.
struct GroomRecipe {
  Hairstyle style = Hairstyle::straight;
  std::int64_t strands = 1000;
  std::optional<std::int64_t> vertices;
  std::optional<double> length, curl_radius, curl_pitch;  // [m]
  std::optional<double> noise;
  std::optional<double> radius;  // [m]
  std::int64_t seed = 1;

  static Schema<GroomRecipe> schema();
  GroomParams params() const;
};

// Few curves that stand for all of another input (grooms/guides.h).
struct GuidesRecipe {
  std::string of;
  std::int64_t count = 1000;

  static Schema<GuidesRecipe> schema();
};

enum class GeneratedShape { head, box, ellipsoid, capsule, ring, sheet };

struct GeneratedInput {
  std::optional<GroomRecipe> groom;
  std::optional<HelixParams> helix;
  std::optional<LineParams> line;
  std::optional<GuidesRecipe> guides;
  std::optional<GeneratedShape> shape;
  Vec3d size{0.1, 0.1, 0.1};  // of all but the head [m]
  Vec3d center{0, 0, 0};      // of all but the head [m]
  Vec3d turn{0, 0, 0};        // of all but the head, about their centre [rad]
  double edge = 0.02;         // of the triangles of a sheet [m]
  std::vector<DeformationKey> deform;

  static Schema<GeneratedInput> schema();
};

Schema<HelixParams> helix_schema();
Schema<DeformationKey> deformation_key_schema();
Schema<LineParams> line_schema();

template <class P>
Schema<P>& with_generated(Schema<P>& schema) {
  using G = GeneratedInput;
  return schema
      .param(static_cast<std::optional<GroomRecipe> P::*>(&G::groom), "groom", GroomRecipe::schema(),
             "Curves made instead of read: hair on the built-in head.")
      .param(static_cast<std::optional<HelixParams> P::*>(&G::helix), "helix", helix_schema(),
             "Curves made instead of read: a coiled cord.")
      .param(static_cast<std::optional<LineParams> P::*>(&G::line), "line", line_schema(),
             "Curves made instead of read: straight strands.")
      .param(static_cast<std::optional<GuidesRecipe> P::*>(&G::guides), "guides", GuidesRecipe::schema(),
             "Curves chosen from another input of curves: those that stand for all of it best.")
      .param(static_cast<std::optional<GeneratedShape> P::*>(&G::shape), "shape",
             "A surface made instead of read: the built-in head, its neck cut at the origin, facing +z; a box; an "
             "ellipsoid; a capsule, upright: a cylinder between two half spheres; a ring about the axis z, longer than "
             "wide or "
             "not: a link of a chain; or a sheet, upright and facing +z, of near equilateral triangles.")
      .template enumerated<GeneratedShape>({{"head", GeneratedShape::head},
                                            {"box", GeneratedShape::box},
                                            {"ellipsoid", GeneratedShape::ellipsoid},
                                            {"capsule", GeneratedShape::capsule},
                                            {"ring", GeneratedShape::ring},
                                            {"sheet", GeneratedShape::sheet}})
      .param(static_cast<Vec3d P::*>(&G::size), "size", unit::m,
             "Edges of the box, axes of the ellipsoid; of the capsule x is its width and y its length, of "
             "the ring x and y are outer widths and z is that of its wire, of the sheet x and y are width and height.")
      .positive()
      .only_when("shape", {"box", "ellipsoid", "capsule", "ring", "sheet"})
      .param(static_cast<Vec3d P::*>(&G::center), "center", unit::m, "Its centre; the head has its own place.")
      .only_when("shape", {"box", "ellipsoid", "capsule", "ring", "sheet"})
      .param(static_cast<Vec3d P::*>(&G::turn), "turn", unit::radian,
             "Angles about the axes x, then y, then z, by which it is turned about its centre.")
      .only_when("shape", {"box", "ellipsoid", "capsule", "ring", "sheet"})
      .param(static_cast<double P::*>(&G::edge), "edge", unit::m, "Of the triangles of a sheet.")
      .positive()
      .only_when("shape", {"sheet"})
      .param(static_cast<std::vector<DeformationKey> P::*>(&G::deform), "deform", deformation_key_schema(),
             "Keyframes of a deformation about the upright axis through its centre (of the head, through the "
             "origin), in the order of their times; at rest at each key, held before the first and after the last. "
             "`motion:` moves what they have shaped.")
      .only_with({"shape"});
}

// Why there are no such curves, and what to do; "" when they can be made.
std::string recipe_problem(const GeneratedInput& input);

// The other input that guides are chosen from, if the recipe is of that kind.
std::optional<GuidesRecipe> guides_recipe(const ParamValues& recipe);

// Of the recipe that InputSpec holds, but not of guides. Errors begin with `name`.
Curves generated_curves(const ParamValues& recipe, const std::string& name);
Surface generated_surface(const ParamValues& recipe);  // undeformed
// Its poses over time; those of frame f are reached at (f - frame_at_zero) / fps. Nothing without `deform:`.
std::optional<SurfaceSequence> generated_sequence(const ParamValues& recipe, const std::string& name, double fps,
                                                  std::int64_t frame_at_zero);
// Of the curves of a recipe, before they are made.
std::int64_t vertices_to_make(const ParamValues& recipe);

}  // namespace ymir
