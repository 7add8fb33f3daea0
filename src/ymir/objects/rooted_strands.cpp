#include "ymir/objects/rooted_strands.h"

#include <fmt/format.h>

#include "ymir/base/error.h"
#include "ymir/physics/rods/frames.h"

namespace ymir {

std::optional<Vec3d> strand_vector(const Curves& curves, const char* name, std::int64_t strand) {
  const Array* array = curves.strands.find(name);
  if (array == nullptr) return std::nullopt;
  if (array->holds<Vec3d>()) return array->as<Vec3d>()[static_cast<std::size_t>(strand)];
  if (array->holds<Vec3f>()) return Vec3d(array->as<Vec3f>()[static_cast<std::size_t>(strand)]);
  return std::nullopt;
}

std::optional<double> curve_value(const Curves& curves, std::string_view name, std::int64_t strand, int vertex) {
  const auto read = [&](const Channels& channels, std::int64_t at) -> std::optional<double> {
    const Array* array = channels.find(name);
    if (array == nullptr) return std::nullopt;
    if (array->holds<double>()) return array->as<double>()[static_cast<std::size_t>(at)];
    if (array->holds<float>()) return array->as<float>()[static_cast<std::size_t>(at)];
    return std::nullopt;
  };
  if (const auto value = read(curves.vertices, curves.first[static_cast<std::size_t>(strand)] + vertex)) return value;
  return read(curves.strands, strand);
}

void refuse_bad_shapes(const Curves& curves, const std::string& owner) {
  for (std::size_t id = 0; id < curves.strand_count(); ++id) {
    const auto first = static_cast<std::size_t>(curves.first[id]),
               last = static_cast<std::size_t>(curves.first[id + 1]);
    if (first >= last)
      throw Error(ExitCode::bad_input, fmt::format("{}: strand {} has no vertices; repair the groom", owner, id));
    for (auto i = first; i < last; ++i)
      if (!is_finite(curves.positions[i]))
        throw Error(ExitCode::bad_input,
                    fmt::format("{}: strand {}, vertex {}: the position is not finite; repair the groom", owner, id,
                                i - first));
  }
}

RootFrame root_frame_of(const Curves& curves, std::int64_t strand) {
  const auto first = static_cast<std::size_t>(curves.first[static_cast<std::size_t>(strand)]);
  const auto last = static_cast<std::size_t>(curves.first[static_cast<std::size_t>(strand) + 1]);
  const Vec3d root = curves.positions[first];
  Vec3d tangent{0, 1, 0};
  for (std::size_t i = first + 1; i < last; ++i)
    if (const Vec3d e = curves.positions[i] - root; norm(e) > 0) {
      tangent = normalized(e);
      break;
    }
  Vec3d m1 = any_normal(tangent);
  if (const auto t = strand_vector(curves, "root_tangent", strand); t && norm(*t) > 0) tangent = normalized(*t);
  if (const auto n = strand_vector(curves, "root_normal", strand); n && norm(cross(tangent, *n)) > 1e-9 * norm(*n))
    m1 = *n;
  return {root, tangent, orthonormalized(m1, tangent)};
}

}  // namespace ymir
