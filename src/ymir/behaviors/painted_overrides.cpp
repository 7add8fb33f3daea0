#include "ymir/behaviors/painted_overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ymir/base/error.h"
#include "ymir/cache/file_bytes.h"
#include "ymir/data/triangle_bvh.h"
#include "ymir/preview/png.h"

namespace ymir {
namespace {

struct Uv {
  double u = 0, v = 0;
};

std::optional<double> real_at(const Channels& channels, const char* name, std::size_t at) {
  const Array* array = channels.find(name);
  if (array == nullptr) return std::nullopt;
  if (array->holds<double>()) return array->as<double>()[at];
  if (array->holds<float>()) return array->as<float>()[at];
  return std::nullopt;
}

std::optional<Uv> uv_at(const Channels& channels, std::size_t at) {
  if (const Array* uv = channels.find("uv"); uv != nullptr) {
    if (uv->holds<Vec3d>()) return Uv{uv->as<Vec3d>()[at].x, uv->as<Vec3d>()[at].y};
    if (uv->holds<Vec3f>()) return Uv{uv->as<Vec3f>()[at].x, uv->as<Vec3f>()[at].y};
  }
  const auto u = real_at(channels, "u", at), v = real_at(channels, "v", at);
  return u && v ? std::optional(Uv{*u, *v}) : std::nullopt;
}

// Texture coordinates of the points of a surface.
class ScalpUvs {
 public:
  ScalpUvs(const Surface& scalp, const std::string& name) : scalp_(scalp), bvh_(scalp) {
    if (!scalp.faces.has("uv0") && !uv_at_vertex(0))
      throw Error(ExitCode::bad_input,
                  name +
                      ": the surface has no texture coordinates; export it as .obj with `vt`, or as .ply with the "
                      "vertex properties u and v");
  }
  Uv at(Vec3d x) const {
    const ClosestPoint near = bvh_.closest(x);
    Uv sum;
    for (int k = 0; k < 3; ++k) {
      const Uv corner = uv_of_corner(near.triangle, k);
      sum.u += corner.u * near.barycentric[k];
      sum.v += corner.v * near.barycentric[k];
    }
    return sum;
  }

 private:
  std::optional<Uv> uv_at_vertex(std::size_t v) const { return uv_at(scalp_.vertices, v); }
  Uv uv_of_corner(std::int32_t triangle, int k) const {
    const auto t = static_cast<std::size_t>(triangle);
    if (scalp_.faces.has("uv0")) {
      const Vec3f uv = scalp_.faces.get<Vec3f>("uv" + std::to_string(k))[t];
      return {uv.x, uv.y};
    }
    return *uv_at_vertex(static_cast<std::size_t>(scalp_.triangles[t][static_cast<std::size_t>(k)]));
  }

  const Surface& scalp_;
  TriangleBvh bvh_;
};

// Between the middles of pixels, which repeat beyond the picture.
double grey_at(const GreyImage& image, Uv uv) {
  const double x = uv.u * image.width - 0.5, y = (1 - uv.v) * image.height - 0.5;
  const double x0 = std::floor(x), y0 = std::floor(y);
  const auto pixel = [&](double px, double py) {
    const auto wrapped = [](double p, int n) {
      const double r = std::fmod(p, n);
      return static_cast<std::size_t>(r < 0 ? r + n : r);
    };
    return static_cast<double>(
        image.values[wrapped(py, image.height) * static_cast<std::size_t>(image.width) + wrapped(px, image.width)]);
  };
  // The rim of a picture that is not repeated has no neighbour beyond it.
  const bool once = uv.u >= 0 && uv.u <= 1 && uv.v >= 0 && uv.v <= 1;
  const auto at = [&](double px, double py) {
    if (!once) return pixel(px, py);
    return pixel(std::clamp(px, 0.0, image.width - 1.0), std::clamp(py, 0.0, image.height - 1.0));
  };
  const double s = x - x0, t = y - y0;
  return (at(x0, y0) * (1 - s) + at(x0 + 1, y0) * s) * (1 - t) +
         (at(x0, y0 + 1) * (1 - s) + at(x0 + 1, y0 + 1) * s) * t;
}

GreyImage read_texture(const PaintedOverride& painted) {
  try {
    return decode_grey_png(read_file_bytes(painted.texture));
  } catch (const Error& error) {
    throw Error(ExitCode::bad_input, fmt::format("{}: {}", painted.texture.string(), error.what()));
  }
}

}  // namespace

void add_painted(Curves& curves, const PaintedOverride& painted, const Surface* scalp, const std::string& name) {
  if (curves.vertices.has(painted.parameter) || curves.strands.has(painted.parameter)) return;
  const GreyImage image = read_texture(painted);
  std::optional<ScalpUvs> scalp_uvs;
  if (scalp != nullptr) scalp_uvs.emplace(*scalp, fmt::format("{}: {}", name, painted.surface.name));
  const auto values = curves.strands.add<double>(painted.parameter);
  for (std::size_t s = 0; s < values.size(); ++s) {
    const auto root = static_cast<std::size_t>(curves.first[s]);
    std::optional<Uv> uv = scalp_uvs ? scalp_uvs->at(curves.positions[root]) : uv_at(curves.strands, s);
    if (!uv) uv = uv_at(curves.vertices, root);
    if (!uv || !std::isfinite(uv->u) || !std::isfinite(uv->v))
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: strand {} has no texture coordinates; name the surface it grows on, `{}: {{texture: "
                              "..., surface: NAME, ...}}`, or give the curves channels u and v",
                              name, s, painted.parameter));
    values[s] = painted.low + (painted.high - painted.low) * grey_at(image, *uv);
  }
}

void add_painted(SolidMesh& mesh, const PaintedOverride& painted, const Surface* around, const std::string& name) {
  if (mesh.vertices.has(painted.parameter) || mesh.elements.has(painted.parameter)) return;
  const GreyImage image = read_texture(painted);
  std::optional<ScalpUvs> uvs;
  if (around != nullptr) uvs.emplace(*around, fmt::format("{}: {}", name, painted.surface.name));
  const auto values = mesh.vertices.add<double>(painted.parameter);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::optional<Uv> uv = uvs ? uvs->at(mesh.positions[i]) : uv_at(mesh.vertices, i);
    if (!uv || !std::isfinite(uv->u) || !std::isfinite(uv->v))
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: node {} has no texture coordinates; name the surface around it, `{}: {{texture: "
                              "..., surface: NAME, ...}}`, or give the nodes channels u and v",
                              name, i, painted.parameter));
    values[i] = painted.low + (painted.high - painted.low) * grey_at(image, *uv);
  }
}

}  // namespace ymir
