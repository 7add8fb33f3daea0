#include "ymir/actions/painted_response.h"

#include <algorithm>

#include "ymir/objects/curves_object.h"
#include "ymir/objects/particle_object.h"

namespace ymir {
namespace {

struct Scalar {
  const char* channel;
  double AttachmentResponse::*member;
};
constexpr std::array<Scalar, 4> scalars{{{"flexibility", &AttachmentResponse::flexibility},
                                         {"normal_stiffness", &AttachmentResponse::normal_stiffness},
                                         {"tangent_stiffness", &AttachmentResponse::tangent_stiffness},
                                         {"attachment_relaxation_time", &AttachmentResponse::relaxation_time}}};
constexpr const char* orientation_channel = "orientation_stiffness";

}  // namespace

bool PaintedResponse::Values::empty() const {
  return orientation.empty() && std::all_of(scalars.begin(), scalars.end(), [](const auto& v) { return v.empty(); });
}

PaintedResponse::Values PaintedResponse::values_of(SolidObject& object) {
  Values values;
  if (const auto* particles = dynamic_cast<const ParticleObject*>(&object)) {
    for (std::size_t k = 0; k < scalars.size(); ++k)
      if (const Array* array = particles->input_channel(scalars[k].channel); array && array->holds<double>())
        values.scalars[k].assign(array->as<double>().begin(), array->as<double>().end());
  } else if (const auto* strands = dynamic_cast<const CurvesObject*>(&object)) {
    const Curves& curves = strands->curves();
    values.first.assign(curves.first.begin(), curves.first.end());
    const auto each_vertex = [&](auto&& f) {
      for (std::size_t s = 0; s < curves.strand_count(); ++s)
        for (std::int64_t v = curves.first[s]; v < curves.first[s + 1]; ++v) f(s, v);
    };
    for (std::size_t k = 0; k < scalars.size(); ++k)
      if (strands->painted(scalars[k].channel))
        each_vertex([&](std::size_t s, std::int64_t v) {
          const auto strand = static_cast<std::int64_t>(s);
          const auto vertex = static_cast<int>(v - curves.first[s]);
          values.scalars[k].push_back(strands->curve_value(scalars[k].channel, strand, vertex).value_or(0));
        });
    const Array* per_vertex = curves.vertices.find(orientation_channel);
    const Array* array = per_vertex != nullptr ? per_vertex : curves.strands.find(orientation_channel);
    if (array != nullptr && (array->holds<Vec3d>() || array->holds<Vec3f>()))
      each_vertex([&](std::size_t s, std::int64_t v) {
        const std::size_t at = per_vertex != nullptr ? static_cast<std::size_t>(v) : s;
        values.orientation.push_back(array->holds<Vec3d>() ? array->as<Vec3d>()[at] : Vec3d(array->as<Vec3f>()[at]));
      });
  }
  return values;
}

PaintedResponse::PaintedResponse(const AttachmentResponse& all, const std::vector<SolidObject*>& sources)
    : all_(all) {
  for (SolidObject* source : sources)
    if (Values values = values_of(*source); !values.empty()) values_.emplace(source, std::move(values));
}

AttachmentResponse PaintedResponse::at(const MaterialPoint& source) const {
  AttachmentResponse response = all_;
  const auto found = values_.find(source.object);
  if (found == values_.end()) return response;
  const Values& values = found->second;
  const bool strand = !values.first.empty();
  const auto piece = static_cast<std::size_t>(source.piece);
  // Vertex e of a strand is number e + 1 of the solver.
  const std::size_t from = strand ? static_cast<std::size_t>(values.first[piece] + source.cell - 1) : piece;
  const auto between = [&](const auto& v) {
    return strand && source.weights.x > 0 ? v[from] + (v[from + 1] - v[from]) * source.weights.x : v[from];
  };
  for (std::size_t k = 0; k < scalars.size(); ++k)
    // Points that were emitted later have no values of their own.
    if (from < values.scalars[k].size()) response.*scalars[k].member = between(values.scalars[k]);
  if (from < values.orientation.size()) response.orientation_stiffness = between(values.orientation);
  return response;
}

}  // namespace ymir
