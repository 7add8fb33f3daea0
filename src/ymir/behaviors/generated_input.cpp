#include "ymir/behaviors/generated_input.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <mutex>
#include <optional>

#include "ymir/base/error.h"
#include "ymir/data/shape_meshes.h"
#include "ymir/grooms/generate.h"
#include "ymir/grooms/head.h"
#include "ymir/math/quaternion.h"

namespace ymir {
namespace {

constexpr std::int64_t most_vertices = 100'000'000;
constexpr double most_triangles = 20'000'000;
constexpr int ellipsoid_rings = 48;
constexpr int capsule_around = 24;
constexpr int ring_around = 32, ring_across = 12;

GeneratedInput input_of(const ParamValues& recipe) {
  GeneratedInput input;
  apply(GeneratedInput::schema().info(), recipe, &input);
  return input;
}

}  // namespace

Schema<GroomRecipe> GroomRecipe::schema() {
  using G = GroomRecipe;
  return Schema<G>("groom", "Hair on the built-in head; what is absent is as the style has it.")
      .param(&G::style, "style", "How the hair is worn.")
      .enumerated<Hairstyle>({{"straight", Hairstyle::straight},
                              {"wavy", Hairstyle::wavy},
                              {"curly", Hairstyle::curly},
                              {"afro", Hairstyle::afro},
                              {"bob", Hairstyle::bob},
                              {"ponytail", Hairstyle::ponytail},
                              {"long", Hairstyle::long_hair}})
      .param(&G::strands, "strands", "Number of hairs.")
      .range(1, 10'000'000)
      .param(&G::vertices, "vertices", "Vertices per hair.")
      .range(2, 10'000)
      .param(&G::length, "length", unit::m, "Length of the longest hair, measured along it.")
      .range(1e-4, 10)
      .param(&G::curl_radius, "curl_radius", unit::m, "Radius of the coil or wave; 0: none.")
      .range(0, 10)
      .param(&G::curl_pitch, "curl_pitch", unit::m, "Distance along the combed hair of one turn or wave.")
      .range(1e-4, 10)
      .param(&G::noise, "noise", unit::none, "0: every hair lies as it was combed, 1: unruly.")
      .range(0, 1)
      .param(&G::radius, "radius", unit::m, "Radius of a hair at its root; it is thinner at the tip.")
      .range(1e-7, 0.01)
      .param(&G::seed, "seed", "Another number, other hair of the same kind.")
      .at_least(0);
}

GroomParams GroomRecipe::params() const {
  GroomParams p = default_params(style);
  p.strands = strands;
  p.vertices = vertices.value_or(p.vertices);
  p.length = length.value_or(p.length);
  p.curl_radius = curl_radius.value_or(p.curl_radius);
  p.curl_pitch = curl_pitch.value_or(p.curl_pitch);
  p.noise = noise.value_or(p.noise);
  p.radius = radius.value_or(p.radius);
  p.seed = static_cast<std::uint64_t>(seed);
  return p;
}

Schema<HelixParams> helix_schema() {
  using H = HelixParams;
  return Schema<H>("helix", "A coiled cord: one strand about a straight axis.")
      .param(&H::radius, "radius", unit::m, "From the axis to the middle of the strand.")
      .range(1e-6, 100)
      .param(&H::pitch, "pitch", unit::m, "Distance along the axis of one turn.")
      .range(0, 100)
      .param(&H::turns, "turns", unit::none, "Number of turns.")
      .range(0.1, 10'000)
      .param(&H::points_per_turn, "points_per_turn", "Vertices of a turn.")
      .range(3, 1000)
      .param(&H::origin, "origin", unit::m, "Where the axis begins, at the root of the strand.")
      .param(&H::direction, "direction", unit::none, "Of the axis, away from the root.")
      .param(&H::straight_lead, "straight_lead", unit::m,
             "Length of a straight part on the axis at either end; the coil opens and closes over one turn there.")
      .range(0, 100);
}

Schema<LineParams> line_schema() {
  using L = LineParams;
  return Schema<L>("line", "Straight strands side by side.")
      .param(&L::from, "from", unit::m, "Root of the first strand.")
      .param(&L::to, "to", unit::m, "Its tip.")
      .param(&L::vertices, "vertices", "Vertices per strand.")
      .range(2, 100'000)
      .param(&L::count, "count", "Number of strands.")
      .range(1, 10'000'000)
      .param(&L::spacing, "spacing", unit::m, "From one strand to the next.");
}

Schema<GuidesRecipe> GuidesRecipe::schema() {
  using G = GuidesRecipe;
  return Schema<G>("guides", "Few curves of another input that stand for all of it, spread by root and shape.")
      .param(&G::of, "of", "The input of curves to choose from.")
      .required()
      .param(&G::count, "count", "How many.")
      .range(1, 10'000'000);
}

std::optional<GuidesRecipe> guides_recipe(const ParamValues& recipe) {
  return recipe.items.empty() ? std::nullopt : input_of(recipe).guides;
}

Schema<DeformationKey> deformation_key_schema() {
  using K = DeformationKey;
  return Schema<K>("deform", "A deformation at a time.")
      .param(&K::time, "time", unit::s, "When; the first frame begins at 0 s.")
      .required()
      .param(&K::bend, "bend", unit::radian, "Of the upper end towards +z, evenly over the height.")
      .range(-6.3, 6.3)
      .param(&K::lean, "lean", unit::radian, "Likewise towards +x.")
      .range(-6.3, 6.3)
      .param(&K::twist, "twist", unit::radian, "Of the upper end about the axis, evenly over the height.")
      .range(-100, 100)
      .param(&K::swell, "swell", unit::none, "By what share all lengths grow, seen from the middle.")
      .range(-0.9, 10);
}

Schema<GeneratedInput> GeneratedInput::schema() {
  Schema<GeneratedInput> schema("generated", "An input that is made instead of read.");
  return with_generated(schema);
}

std::string recipe_problem(const GeneratedInput& input) {
  if (input.groom) {
    try {
      require_valid(input.groom->params());
    } catch (const Error& error) {
      return error.what();
    }
  }
  for (std::size_t k = 1; k < input.deform.size(); ++k)
    if (!(input.deform[k - 1].time < input.deform[k].time))
      return fmt::format("deform: the times of keys must increase, but {} s follows {} s; put the keys in order",
                         input.deform[k].time, input.deform[k - 1].time);
  if (input.shape == GeneratedShape::capsule && input.size.y < input.size.x)
    return "a capsule is longer than it is wide; give `size: [width, length, width]`";
  if (input.shape == GeneratedShape::ring && 2 * input.size.z >= std::min(input.size.x, input.size.y))
    return "the wire of a ring leaves no hole; give `size: [width, length, wire]` with a wire of less than half the "
           "width";
  if (input.shape == GeneratedShape::sheet) {
    const double triangles = 2.3 * input.size.x * input.size.y / (input.edge * input.edge);
    if (triangles > most_triangles)
      return fmt::format(
          "a sheet of {:g} by {:g} m with edges of {:g} m has {:.2g} triangles, more than {:g}; give a "
          "larger `edge:`",
          input.size.x, input.size.y, input.edge, triangles, most_triangles);
  }
  if (input.helix && norm(input.helix->direction) == 0) return "direction has no length; give one such as [0, -1, 0]";
  if (input.line) {
    if (norm(input.line->to - input.line->from) == 0) return "the strand has no length; give another `to` than `from`";
    if (input.line->count * input.line->vertices > most_vertices)
      return fmt::format("count x vertices is {}; give at most {}", input.line->count * input.line->vertices,
                         most_vertices);
  }
  return "";
}

namespace {

// A setup asks for the same groom several times: for its guides, and for the hairs that they carry. Growing it takes
// seconds, so the last one is kept, if it is not so large that memory matters more.
Curves groom_on_head(const GroomParams& params) {
  struct Grown {
    GroomParams params;
    Curves curves;
  };
  constexpr std::int64_t most_kept = 4'000'000;  // vertices
  static std::mutex mutex;
  static std::optional<Grown> last;
  const std::scoped_lock lock(mutex);
  if (last && last->params == params) return last->curves;
  Curves grown = generate_groom(Scalp(head_mesh(), {}, "head"), params);
  last.reset();
  if (params.strands * params.vertices <= most_kept) last = Grown{params, grown};
  return grown;
}

}  // namespace

Curves generated_curves(const ParamValues& recipe, const std::string& name) {
  const GeneratedInput input = input_of(recipe);
  if (input.helix) return helix_curve(*input.helix);
  if (input.line) return line_curves(*input.line);
  YMIR_CHECK(input.groom);
  try {
    return groom_on_head(input.groom->params());
  } catch (const Error& error) {
    throw Error(ExitCode::bad_input, fmt::format("{}: {}", name, error.what()));
  }
}

std::int64_t vertices_to_make(const ParamValues& recipe) {
  const GeneratedInput input = input_of(recipe);
  if (input.groom) return input.groom->params().strands * input.groom->params().vertices;
  if (input.line) return input.line->count * input.line->vertices;
  if (input.helix)
    return static_cast<std::int64_t>(input.helix->turns * static_cast<double>(input.helix->points_per_turn));
  return 0;
}

namespace {

Surface upright_surface(const GeneratedInput& input) {
  switch (*input.shape) {
    case GeneratedShape::box: return box_mesh(input.center, input.size * 0.5, {1, 0, 0}, {0, 1, 0}, {0, 0, 1});
    case GeneratedShape::ellipsoid: {
      Surface mesh = sphere_mesh({0, 0, 0}, 1, ellipsoid_rings);
      for (Vec3d& p : mesh.positions)
        p = input.center + Vec3d{p.x * input.size.x, p.y * input.size.y, p.z * input.size.z} * 0.5;
      return mesh;
    }
    case GeneratedShape::capsule: return capsule_mesh(input.center, 0.5 * input.size.x, input.size.y, capsule_around);
    case GeneratedShape::ring:
      return ring_mesh(input.center, input.size.x, input.size.y, input.size.z, ring_around, ring_across);
    case GeneratedShape::sheet: return sheet_mesh(input.center, input.size.x, input.size.y, input.edge);
    case GeneratedShape::head: break;
  }
  return head_mesh();
}

}  // namespace

Surface generated_surface(const ParamValues& recipe) {
  const GeneratedInput input = input_of(recipe);
  YMIR_CHECK(input.shape);
  Surface mesh = upright_surface(input);
  if (norm(input.turn) == 0) return mesh;
  const Quaternion turn = quaternion_from_angles(input.turn);
  for (Vec3d& p : mesh.positions) p = input.center + rotate(turn, p - input.center);
  return mesh;
}

std::optional<SurfaceSequence> generated_sequence(const ParamValues& recipe, const std::string& name, double fps,
                                                  std::int64_t frame_at_zero) {
  const GeneratedInput input = input_of(recipe);
  if (input.deform.empty()) return std::nullopt;
  const auto rest = std::make_shared<const Surface>(generated_surface(recipe));
  const Box box = bounds(rest->positions);
  const Vec3d on_axis = input.shape == GeneratedShape::head ? Vec3d{0, 0, 0} : input.center;
  const DeformationAxis axis{{on_axis.x, box.low.y, on_axis.z}, box.high.y - box.low.y};
  const double end = input.deform.back().time * fps;
  SurfaceSequence sequence;
  sequence.first = frame_at_zero;
  sequence.last = frame_at_zero + std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(end - 1e-9)));
  sequence.fps = fps;
  sequence.frame_at_zero = frame_at_zero;
  sequence.load = [rest, axis, keys = input.deform, fps, frame_at_zero](std::int64_t frame) {
    Surface posed = *rest;
    const DeformationKey by = deformation_at(keys, static_cast<double>(frame - frame_at_zero) / fps);
    for (Vec3d& p : posed.positions) p = deformed(p, by, axis);
    return posed;
  };
  sequence.name = [name](std::int64_t frame) { return fmt::format("{}, frame {}", name, frame); };
  return sequence;
}

}  // namespace ymir
