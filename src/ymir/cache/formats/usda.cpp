#include "ymir/cache/formats/usda.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/formats/frame_objects.h"
#include "ymir/cache/formats/single_precision.h"
#include "ymir/cache/formats/spool_file.h"
#include "ymir/cache/formats/usda_clips.h"

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
  bool constant = false;        // one value for all time
};

struct Prim {
  std::string type;  // Points, BasisCurves, Mesh, Volume
  std::string identifier;
  std::int64_t first_frame;
  std::int64_t last_frame;
  std::map<std::string, UsdAttribute> attributes;
  std::map<std::string, UsdAttribute> fields;  // of a Volume: the file of each, by its name
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
  Impl(const std::filesystem::path& path, double fps, bool clips) : file_(path), spool_(path), fps_(fps) {
    if (clips) clips_.emplace(path);
  }

  void begin_frame(std::int64_t frame) {
    YMIR_CHECK(!begun_ || frame > frame_);
    if (!begun_) first_frame_ = frame;
    if (clips_ && begun_) end_clip();
    previous_frame_ = begun_ ? frame_ : frame;
    begun_ = true;
    frame_ = frame;
  }
  // What begins here is the state before the first frame: its samples are there, the stage begins with the next frame.
  void begin_initial(const Frame& frame) {
    YMIR_CHECK(!begun_);
    begin_frame(frame.number);
    has_initial_ = true;
    for (const ObjectState& object : frame.objects) {
      const auto position = object.channels.find("position");
      if ((object.kind == "curves" || object.kind == "surface") && position != object.channels.end())
        rest_[object.name] = position->second;
    }
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

  void sample(Prim& p, const std::string& declaration, const std::string& text, const char* interpolation = "") {
    sample(p.attributes[declaration], declaration, text, interpolation);
  }
  // A value for all time, of which the first counts.
  void constant(Prim& p, const std::string& declaration, const std::string& text, const char* interpolation) {
    UsdAttribute& attribute = p.attributes[declaration];
    if (attribute.constant) return;
    attribute.constant = true;
    attribute.declaration = declaration;
    attribute.interpolation = interpolation;
    attribute.samples.push_back({frame_, spool_.append(text)});
  }

  void sample(UsdAttribute& attribute, const std::string& declaration, const std::string& text,
              const char* interpolation) {
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

  void field(Prim& p, const std::string& name, const std::string& file) {
    sample(p.fields[name], "asset filePath", "@./" + file + "@", "");
  }

  void rest(Prim& p, const std::string& name, std::size_t vertices) {
    const auto found = rest_.find(name);
    if (found == rest_.end() || found->second.count() != vertices || !found->second.holds<Vec3f>()) return;
    check_finite<Vec3f>("position", found->second.as<Vec3f>());
    constant(p, "point3f[] primvars:rest", list(found->second.as<Vec3f>()), "vertex");
  }

  void positions(Prim& p, const std::vector<Vec3d>& positions) {
    const auto points = single_precision(positions, file_.path().string());
    sample(p, "point3f[] points", list(points));
    std::vector<Vec3f> extent;
    if (const Box box = bounds(positions); !box.empty()) extent = {Vec3f(box.low), Vec3f(box.high)};
    sample(p, "float3[] extent", list(extent));
  }

  // One value per strand or triangle.
  void uniform_channels(Prim& p, const Channels& pieces) {
    for (const auto& [name, array] : pieces.all()) {
      const bool coordinates = name == "root_uv" || name == "uv" || name == "st";
      if (coordinates && array.type() == ScalarType::f32 && array.components() >= 2) {
        texture_coordinates(p, name, array);
      } else if (name == "strand" && array.holds<std::int64_t>()) {
        sample(p, "int64[] primvars:id", list(array.as<std::int64_t>()), "uniform");
      } else if (array.holds<float>()) {
        checked<float>(p, "float[] primvars:" + identifier_of(name), name, array, "uniform");
      } else if (name == "color" && array.holds<Vec3f>()) {
        checked<Vec3f>(p, "color3f[] primvars:displayColor", name, array, "uniform");
      } else if (array.holds<Vec3f>()) {
        checked<Vec3f>(p, "float3[] primvars:" + identifier_of(name), name, array, "uniform");
      } else if (array.holds<std::int32_t>()) {
        checked<std::int32_t>(p, "int[] primvars:" + identifier_of(name), name, array, "uniform");
      }
    }
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
    if (clips_ && begun_) end_clip();
    for (auto& [name, p] : prims_)
      if (p.last_frame < frame_ && !clips_) vanish(p);
    const auto to_file = [this](std::string_view t) { file_.write(t); };
    write_layer(to_file, clips_ ? clips_->metadata() : "", clips_ ? Samples::none : Samples::all);
    if (clips_) {
      AtomicFile manifest(clips_->manifest_file());
      write_layer([&](std::string_view t) { manifest.write(t); }, "", Samples::none);
      manifest.commit();
    }
    file_.commit();
  }

 private:
  // Which samples of attributes a layer holds.
  enum class Samples { all, last, none };
  using Text = std::function<void(std::string_view)>;

  void write_layer(const Text& text, const std::string& metadata, Samples samples) {
    const std::int64_t start = has_initial_ && frame_ > first_frame_ ? first_frame_ + 1 : first_frame_;
    text("#usda 1.0\n(\n    defaultPrim = \"World\"\n");
    text(fmt::format("    endTimeCode = {}\n    framesPerSecond = {}\n    metersPerUnit = 1\n    startTimeCode = {}\n",
                     frame_, fps_, start));
    text(fmt::format("    timeCodesPerSecond = {}\n    upAxis = \"Y\"\n)\n\ndef Xform \"World\"{}\n{{\n", fps_,
                     metadata));
    for (auto& [name, p] : prims_) write_prim(text, name, p, samples);
    text("}\n");
  }
  // A layer of its own for the frame that ends.
  void end_clip() {
    for (auto& [name, p] : prims_)
      if (p.last_frame < frame_) vanish(p);
    AtomicFile layer(clips_->file_of(frame_));
    write_layer([&](std::string_view t) { layer.write(t); }, "", Samples::last);
    layer.commit();
    clips_->add(frame_);
  }
  void texture_coordinates(Prim& p, const std::string& name, const Array& array) {
    const auto* values = reinterpret_cast<const float*>(array.bytes().data());
    const auto components = static_cast<std::size_t>(array.components());
    check_finite(name, std::span<const float>(values, array.count() * components));
    fmt::memory_buffer out;
    for (std::size_t i = 0; i < array.count(); ++i)
      fmt::format_to(std::back_inserter(out), "{}({}, {})", i > 0 ? ", " : "", values[i * components],
                     values[i * components + 1]);
    constant(p, "texCoord2f[] primvars:st", "[" + fmt::to_string(out) + "]", "uniform");
  }

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
      if (attribute.constant) continue;
      hold(attribute);
      attribute.samples.push_back({p.last_frame + 1, spool_.append("[]")});
      attribute.last_hash = hash_text("[]");
      attribute.last_frame = p.last_frame + 1;
    }
  }

  void write_prim(const Text& text, const std::string& name, const Prim& p, Samples samples) {
    text(fmt::format("    def {} \"{}\"\n    {{\n        custom string ymir:name = {}\n", p.type, p.identifier,
                     quoted_string(name)));
    if (p.type == "BasisCurves")
      text("        uniform token type = \"linear\"\n        uniform token wrap = \"nonperiodic\"\n");
    if (p.type == "Mesh") text("        uniform token subdivisionScheme = \"none\"\n");
    for (const auto& [declaration, attribute] : p.attributes)
      write_attribute(text, attribute, p.first_frame > first_frame_ ? "[]" : "", samples, std::string(8, ' '));
    for (const auto& [field, file] : p.fields)
      text(fmt::format("        rel field:{0} = </World/{1}/{0}>\n", identifier_of(field), p.identifier));
    for (const auto& [field, file] : p.fields) {
      text(fmt::format("        def OpenVDBAsset \"{}\"\n        {{\n            token fieldName = {}\n",
                       identifier_of(field), quoted_string(field)));
      write_attribute(text, file, "", samples, std::string(12, ' '));
      text("        }\n");
    }
    text("    }\n");
  }

  // `before`: the value before the first sample; empty: that of the first sample.
  void write_attribute(const Text& text, const UsdAttribute& attribute, const char* before, Samples samples,
                       const std::string& indent) {
    const std::string& declaration = attribute.declaration;
    const auto value = [&](const Sample& s) { spool_.copy(s.text, [&](std::string_view part) { text(part); }); };
    if (attribute.constant && samples == Samples::last) return;  // the first layer has it
    text(indent + declaration);
    if (attribute.constant) {
      text(" = ");
      value(attribute.samples.front());
    }
    if (!attribute.interpolation.empty())
      text(fmt::format(" (\n{0}    interpolation = \"{1}\"\n{0})", indent, attribute.interpolation));
    text("\n");
    if (attribute.constant || samples == Samples::none) return;
    text(fmt::format("{}{}.timeSamples = {{\n", indent, declaration));
    if (samples == Samples::last) {
      text(fmt::format("{}    {}: ", indent, frame_));
      value(attribute.samples.back());
      text(",\n" + indent + "}\n");
      return;
    }
    if (*before != 0) text(fmt::format("{}    {}: {},\n", indent, first_frame_, before));
    for (const Sample& s : attribute.samples) {
      text(fmt::format("{}    {}: ", indent, s.frame));
      value(s);
      text(",\n");
    }
    text(indent + "}\n");
  }

  AtomicFile file_;
  SpoolFile spool_;
  double fps_;
  bool begun_ = false;
  std::int64_t first_frame_ = 0;
  std::int64_t previous_frame_ = 0;
  std::int64_t frame_ = 0;
  bool has_initial_ = false;
  std::map<std::string, Prim> prims_;
  std::map<std::string, Array> rest_;  // positions at time 0, by object
  std::optional<UsdaClips> clips_;
};

UsdaWriter::UsdaWriter(const std::filesystem::path& path, double frames_per_second, Layers layers)
    : impl_(std::make_unique<Impl>(path, frames_per_second, layers == Layers::per_frame)) {}
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
  impl_->rest(p, name, curves.positions.size());
  std::vector<std::int64_t> counts(curves.strand_count());
  for (std::size_t s = 0; s < counts.size(); ++s) counts[s] = curves.first[s + 1] - curves.first[s];
  impl_->sample(p, "int[] curveVertexCounts", list(counts));
  impl_->channels(p, curves.vertices);
  impl_->uniform_channels(p, curves.strands);
}

void UsdaWriter::add(const std::string& name, const Surface& surface) {
  Prim& p = impl_->prim(name, "Mesh");
  impl_->positions(p, surface.positions);
  impl_->rest(p, name, surface.positions.size());
  impl_->sample(p, "int[] faceVertexCounts", list(std::vector<int>(surface.triangles.size(), 3)));
  std::vector<std::int32_t> corners;
  corners.reserve(surface.triangles.size() * 3);
  for (const auto& t : surface.triangles) corners.insert(corners.end(), t.begin(), t.end());
  impl_->sample(p, "int[] faceVertexIndices", list(corners));
  impl_->channels(p, surface.vertices);
  impl_->uniform_channels(p, surface.faces);
}

void UsdaWriter::add_volume(const std::string& name, const std::vector<std::string>& fields, const std::string& file) {
  Prim& p = impl_->prim(name, "Volume");
  for (const std::string& field : fields) impl_->field(p, field, file);
}

void UsdaWriter::add_initial(const Frame& frame) {
  impl_->begin_initial(frame);
  add_objects(frame);
}

void UsdaWriter::add_frame(const Frame& frame) {
  begin_frame(frame.number);
  add_objects(frame);
}

void UsdaWriter::add_objects(const Frame& frame) {
  for (const ObjectState& object : frame.objects) {
    if (object.kind == "points") add(object.name, points_of(object));
    if (object.kind == "curves") add(object.name, curves_of(object));
    if (object.kind == "surface") add(object.name, surface_of(object));
  }
}

void UsdaWriter::finish() { impl_->finish(); }

}  // namespace ymir
