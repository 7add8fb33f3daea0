#include "ymir/cache/formats/usda.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/formats/frame_objects.h"
#include "ymir/cache/formats/single_precision.h"
#include "ymir/cache/formats/spool_file.h"

namespace ymir {
namespace {

struct Sample {
  std::int64_t frame;
  SpoolFile::Extent text;
};

struct UsdAttribute {
  std::string declaration;    // "point3f[] points"
  std::string interpolation;  // of a primvar or of widths; empty: none
  std::vector<Sample> samples;
  std::uint64_t last_hash = 0;  // of the last sample: an unchanged value is not stored again
  std::int64_t last_frame = 0;  // in which the last sample was still the value
};

struct Prim {
  std::string type;  // Points, BasisCurves, Mesh
  std::string identifier;
  std::int64_t first_frame;
  std::int64_t last_frame;
  std::map<std::string, UsdAttribute> attributes;
};

// A valid prim name: letters, digits and underscores, not starting with a digit.
std::string identifier_of(const std::string& name) {
  std::string identifier;
  for (const char c : name) {
    const bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    identifier += allowed ? c : '_';
  }
  if (identifier.empty() || (identifier[0] >= '0' && identifier[0] <= '9')) identifier.insert(0, "_");
  return identifier;
}

std::string quoted_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  return quoted + "\"";
}

// "[a, b, c]" with tuples in parentheses.
template <class T>
void append(fmt::memory_buffer& out, const T& value) {
  fmt::format_to(std::back_inserter(out), "{}", value);
}
template <class T>
void append(fmt::memory_buffer& out, const Vec3<T>& v) {
  fmt::format_to(std::back_inserter(out), "({}, {}, {})", v.x, v.y, v.z);
}
template <class Values>
std::string list(const Values& values) {
  fmt::memory_buffer out;
  out.push_back('[');
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out.append(std::string_view(", "));
    append(out, values[i]);
  }
  out.push_back(']');
  return {out.data(), out.size()};
}

bool finite(float v) { return std::isfinite(v); }
bool finite(std::int32_t) { return true; }
template <class T>
bool finite(Vec3<T> v) {
  return is_finite(v);
}

}  // namespace

class UsdaWriter::Impl {
 public:
  Impl(const std::filesystem::path& path, double fps) : file_(path), spool_(path), fps_(fps) {}

  void begin_frame(std::int64_t frame) {
    YMIR_CHECK(!begun_ || frame > frame_);
    if (!begun_) first_frame_ = frame;
    previous_frame_ = begun_ ? frame_ : frame;
    begun_ = true;
    frame_ = frame;
  }

  Prim& prim(const std::string& name, const char* type) {
    YMIR_CHECK(begun_);
    const auto [it, added] = prims_.try_emplace(name);
    Prim& p = it->second;
    if (added) {
      p.type = type;
      p.first_frame = frame_;
      p.identifier = identifier_of(name);
      while (std::any_of(prims_.begin(), prims_.end(), [&](const auto& other) {
        return &other.second != &p && other.second.identifier == p.identifier;
      }))
        p.identifier += "_";
    }
    YMIR_CHECK(p.type == type);
    if (!added && p.last_frame < previous_frame_) vanish(p);
    p.last_frame = frame_;
    return p;
  }

  void sample(Prim& p, const std::string& declaration, std::string text, const char* interpolation = "") {
    UsdAttribute& attribute = p.attributes[declaration];
    attribute.declaration = declaration;
    attribute.interpolation = interpolation;
    const std::uint64_t hash = hash_text(text);
    if (attribute.samples.empty() || attribute.last_hash != hash) {
      hold(attribute);
      attribute.samples.push_back({frame_, spool_.append(text)});
      attribute.last_hash = hash;
    }
    attribute.last_frame = frame_;
  }

  void positions(Prim& p, const std::vector<Vec3d>& positions) {
    const auto points = single_precision(positions, file_.path().string());
    sample(p, "point3f[] points", list(points));
    std::vector<Vec3f> extent;
    if (const Box box = bounds(positions); !box.empty()) extent = {Vec3f(box.low), Vec3f(box.high)};
    sample(p, "float3[] extent", list(extent));
  }

  void channels(Prim& p, const Channels& vertices) {
    for (const auto& [name, array] : vertices.all()) {
      if (name == "radius" && array.holds<float>()) {
        std::vector<float> widths;
        for (const float r : array.as<float>()) widths.push_back(2 * r);
        check_finite(name, std::span<const float>(widths));
        sample(p, p.type == "Mesh" ? "float[] primvars:width" : "float[] widths", list(widths), "vertex");
      } else if (name == "velocity" && array.holds<Vec3f>()) {
        checked<Vec3f>(p, "vector3f[] velocities", name, array, "");
      } else if (name == "color" && array.holds<Vec3f>()) {
        checked<Vec3f>(p, "color3f[] primvars:displayColor", name, array, "vertex");
      } else if (name == "id" && array.holds<std::uint64_t>()) {
        ids(p, array.as<std::uint64_t>());
      } else if (array.holds<float>()) {
        checked<float>(p, "float[] primvars:" + identifier_of(name), name, array, "vertex");
      } else if (array.holds<Vec3f>()) {
        checked<Vec3f>(p, "float3[] primvars:" + identifier_of(name), name, array, "vertex");
      } else if (array.holds<std::int32_t>()) {
        checked<std::int32_t>(p, "int[] primvars:" + identifier_of(name), name, array, "vertex");
      }
    }
  }

  void finish() {
    text("#usda 1.0\n(\n    defaultPrim = \"World\"\n");
    text(fmt::format("    endTimeCode = {}\n    framesPerSecond = {}\n    metersPerUnit = 1\n    startTimeCode = {}\n",
                     frame_, fps_, first_frame_));
    text(fmt::format("    timeCodesPerSecond = {}\n    upAxis = \"Y\"\n)\n\ndef Xform \"World\"\n{{\n", fps_));
    for (auto& [name, p] : prims_) {
      if (p.last_frame < frame_) vanish(p);
      write_prim(name, p);
    }
    text("}\n");
    file_.commit();
  }

 private:
  template <class T>
  void check_finite(const std::string& channel, std::span<const T> values) const {
    const auto bad = std::find_if(values.begin(), values.end(), [](const T& v) { return !finite(v); });
    if (bad != values.end())
      throw Error(ExitCode::numerical,
                  fmt::format("{}: channel {} of vertex {} in frame {} is not finite; nothing was written: check the "
                              "simulation",
                              file_.path().string(), channel, bad - values.begin(), frame_));
  }
  template <class T>
  void checked(Prim& p, const std::string& declaration, const std::string& channel, const Array& array,
               const char* interpolation) {
    check_finite(channel, array.as<T>());
    sample(p, declaration, list(array.as<T>()), interpolation);
  }
  void ids(Prim& p, std::span<const std::uint64_t> values) {
    std::vector<std::int64_t> wrapped(values.begin(), values.end());  // USD knows int64 only; ids stay distinct
    const bool schema = p.type == "Points";
    sample(p, schema ? "int64[] ids" : "int64[] primvars:id", list(wrapped), schema ? "" : "vertex");
  }

  // USD interpolates between samples: a value that stayed is repeated where it ends.
  static void hold(UsdAttribute& attribute) {
    if (!attribute.samples.empty() && attribute.samples.back().frame < attribute.last_frame)
      attribute.samples.push_back({attribute.last_frame, attribute.samples.back().text});
  }
  // An object is empty in frames that do not have it.
  void vanish(Prim& p) {
    for (auto& [declaration, attribute] : p.attributes) {
      hold(attribute);
      attribute.samples.push_back({p.last_frame + 1, spool_.append("[]")});
      attribute.last_hash = hash_text("[]");
      attribute.last_frame = p.last_frame + 1;
    }
  }

  void text(std::string_view t) { file_.write(t); }

  void write_prim(const std::string& name, const Prim& p) {
    text(fmt::format("    def {} \"{}\"\n    {{\n        custom string ymir:name = {}\n", p.type, p.identifier,
                     quoted_string(name)));
    if (p.type == "BasisCurves")
      text("        uniform token type = \"linear\"\n        uniform token wrap = \"nonperiodic\"\n");
    if (p.type == "Mesh") text("        uniform token subdivisionScheme = \"none\"\n");
    for (const auto& [declaration, attribute] : p.attributes) write_attribute(attribute, p);
    text("    }\n");
  }

  void write_attribute(const UsdAttribute& attribute, const Prim& p) {
    const std::string& declaration = attribute.declaration;
    if (!attribute.interpolation.empty())
      text(fmt::format("        {} (\n            interpolation = \"{}\"\n        )\n", declaration,
                       attribute.interpolation));
    text(fmt::format("        {}.timeSamples = {{\n", declaration));
    if (p.first_frame > first_frame_) text(fmt::format("            {}: [],\n", first_frame_));
    for (const Sample& s : attribute.samples) {
      text(fmt::format("            {}: ", s.frame));
      spool_.copy(s.text, [&](std::string_view part) { text(part); });
      text(",\n");
    }
    text("        }\n");
  }

  AtomicFile file_;
  SpoolFile spool_;
  double fps_;
  bool begun_ = false;
  std::int64_t first_frame_ = 0;
  std::int64_t previous_frame_ = 0;
  std::int64_t frame_ = 0;
  std::map<std::string, Prim> prims_;
};

UsdaWriter::UsdaWriter(const std::filesystem::path& path, double frames_per_second)
    : impl_(std::make_unique<Impl>(path, frames_per_second)) {}
UsdaWriter::~UsdaWriter() = default;

void UsdaWriter::begin_frame(std::int64_t frame) { impl_->begin_frame(frame); }

void UsdaWriter::add(const std::string& name, const Points& points) {
  Prim& p = impl_->prim(name, "Points");
  impl_->positions(p, points.positions);
  impl_->channels(p, points.vertices);
}

void UsdaWriter::add(const std::string& name, const Curves& curves) {
  Prim& p = impl_->prim(name, "BasisCurves");
  impl_->positions(p, curves.positions);
  std::vector<std::int64_t> counts(curves.strand_count());
  for (std::size_t s = 0; s < counts.size(); ++s) counts[s] = curves.first[s + 1] - curves.first[s];
  impl_->sample(p, "int[] curveVertexCounts", list(counts));
  impl_->channels(p, curves.vertices);
}

void UsdaWriter::add(const std::string& name, const Surface& surface) {
  Prim& p = impl_->prim(name, "Mesh");
  impl_->positions(p, surface.positions);
  impl_->sample(p, "int[] faceVertexCounts", list(std::vector<int>(surface.triangles.size(), 3)));
  std::vector<std::int32_t> corners;
  corners.reserve(surface.triangles.size() * 3);
  for (const auto& t : surface.triangles) corners.insert(corners.end(), t.begin(), t.end());
  impl_->sample(p, "int[] faceVertexIndices", list(corners));
  impl_->channels(p, surface.vertices);
}

void UsdaWriter::add_frame(const Frame& frame) {
  begin_frame(frame.number);
  for (const ObjectState& object : frame.objects) {
    if (object.kind == "points") add(object.name, points_of(object));
    if (object.kind == "curves") add(object.name, curves_of(object));
    if (object.kind == "surface") add(object.name, surface_of(object));
  }
}

void UsdaWriter::finish() { impl_->finish(); }

}  // namespace ymir
