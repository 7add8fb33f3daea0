#include "ymir/setup/carried_hairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ymir/base/error.h"
#include "ymir/behaviors/scope.h"
#include "ymir/cache/formats/frame_objects.h"
#include "ymir/grooms/polyline.h"

namespace ymir {
namespace {

constexpr double default_radius = 40e-6;  // [m]

const ObjectState& strands_to_follow(const Frame& frame, const std::string& object) {
  const ObjectState* found = nullptr;
  for (const ObjectState& candidate : frame.objects) {
    if (candidate.kind != "curves") continue;
    if (!object.empty() && candidate.name != object && !candidate.name.starts_with(object + "/")) continue;
    if (found != nullptr)
      throw Error(ExitCode::bad_input, fmt::format("the hairs could follow {} or {}; say which group or object",
                                                   found->name, candidate.name));
    found = &candidate;
  }
  if (found == nullptr)
    throw Error(ExitCode::bad_input,
                fmt::format("no strands{}{} that hairs could follow; simulate guides with curves_object",
                            object.empty() ? "" : " of ", object));
  return *found;
}

const ObjectState& named(const Frame& frame, const std::string& name) {
  const auto found = std::find_if(frame.objects.begin(), frame.objects.end(), [&](const ObjectState& candidate) {
    return candidate.kind == "curves" && candidate.name == name;
  });
  if (found == frame.objects.end())
    throw Error(ExitCode::bad_input, fmt::format("frame {} holds no strands {}; see ymir info", frame.number, name));
  return *found;
}

HairCarrier::Surfaces surfaces_of(const Frame& frame) {
  HairCarrier::Surfaces surfaces;
  for (const ObjectState& object : frame.objects)
    if (object.kind == "surface") surfaces.emplace(object.name, surface_of(object));
  return surfaces;
}

// Of the groom where it has radii, else of the guide a hair follows most.
std::vector<float> radii_of(const HairCarrier& carrier) {
  const Curves& groom = carrier.groom();
  std::vector<float> radii;
  radii.reserve(groom.positions.size());
  const Array* own = groom.vertices.find("radius");
  if (own != nullptr && own->holds<double>())
    for (const double r : own->as<double>()) radii.push_back(static_cast<float>(r));
  else if (own != nullptr && own->holds<float>())
    radii.assign(own->as<float>().begin(), own->as<float>().end());
  if (!radii.empty()) return radii;
  const Array* guides = carrier.guides().vertices.find("radius");
  for (std::size_t h = 0; h < groom.strand_count(); ++h) {
    const auto root = static_cast<std::size_t>(carrier.guides().first[carrier.nearest_guide(h)]);
    const bool known = guides != nullptr && guides->holds<float>();
    radii.insert(radii.end(), points_of(groom, h).size(),
                 known ? guides->as<float>()[root] : static_cast<float>(default_radius));
  }
  return radii;
}

std::vector<Vec3f> single(const std::vector<Vec3d>& positions) {
  std::vector<Vec3f> rounded;
  rounded.reserve(positions.size());
  for (const Vec3d& p : positions) rounded.emplace_back(p);
  return rounded;
}

}  // namespace

CarriedHairs::CarriedHairs(Curves groom, const Frame& initial, const std::string& object, int neighbours,
                           const std::string& groom_name)
    : guides_name_(strands_to_follow(initial, object).name),
      name_(guides_name_.substr(0, guides_name_.rfind('/') == std::string::npos ? 0 : guides_name_.rfind('/') + 1) +
            "hairs"),
      carrier_(std::move(groom), curves_of(named(initial, guides_name_)), surfaces_of(initial), neighbours, groom_name,
               guides_name_),
      radius_(radii_of(carrier_)),
      time_before_(initial.time) {
  if (std::any_of(initial.objects.begin(), initial.objects.end(),
                  [&](const ObjectState& candidate) { return candidate.name == name_; }))
    throw Error(ExitCode::bad_input, fmt::format("{}: an object of that name is there already; rename it", name_));
  follow(initial);
}

std::vector<Vec3f> CarriedHairs::place(const Frame& frame) {
  const std::string label = fmt::format("frame {}, {}", frame.number, guides_name_);
  before_ = single(carrier_.carry(curves_of(named(frame, guides_name_)), surfaces_of(frame), label).positions);
  time_before_ = frame.time;
  return before_;
}

ObjectState CarriedHairs::hairs_of(const Frame& frame) {
  const std::vector<Vec3f> before = before_;
  const double since = frame.time - time_before_;
  const std::vector<Vec3f> positions = place(frame);
  std::vector<Vec3f> velocity(positions.size());
  if (since > 0)
    for (std::size_t v = 0; v < positions.size(); ++v)
      velocity[v] = Vec3f((Vec3d(positions[v]) - Vec3d(before[v])) / since);
  std::vector<std::int64_t> strand(strand_count());
  std::iota(strand.begin(), strand.end(), std::int64_t{0});
  ObjectState state{name_, "curves", {}, {}};
  state.channels["position"] = {Place::vertex, Array::of(positions), "m"};
  state.channels["velocity"] = {Place::vertex, Array::of(velocity), "m/s"};
  state.channels["radius"] = {Place::vertex, Array::of(radius_), "m"};
  state.channels["first"] = {Place::object, Array::of(carrier_.groom().first)};
  state.channels["strand"] = {Place::strand, Array::of(strand)};
  for (const auto& [channel, array] : carrier_.groom().strands.all())
    state.channels.try_emplace(channel, Place::strand, array);
  return state;
}

std::optional<InputSpec> groom_file(const SolverSetup& setup) {
  if (!setup.outputs.hairs || setup.find_input(setup.outputs.hairs->groom) != nullptr) return std::nullopt;
  InputSpec file;
  file.name = file.written_path = setup.outputs.hairs->groom;
  file.kind = InputKind::curves;
  file.path = setup.file.parent_path() / file.name;
  return file;
}

std::optional<CarriedHairs> hairs_of(const SolverSetup& setup, Simulation& simulation, const Frame& initial) {
  if (!setup.outputs.hairs) return std::nullopt;
  const HairsParams& params = *setup.outputs.hairs;
  std::vector<InputSpec> inputs = setup.inputs;
  if (const auto file = groom_file(setup)) inputs.push_back(*file);
  const Scope scope(simulation, inputs, "outputs.hairs", 0, 0);
  return CarriedHairs(scope.curves({params.groom}), initial, params.group.path == "/" ? "" : params.group.path,
                      params.guides, params.groom);
}

}  // namespace ymir
