// Grooms: files, units and pictures around src/ymir/grooms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "commands.h"
#include "groom_files.h"
#include "progress.h"
#include "quantity.h"
#include "ymir/base/log.h"
#include "ymir/base/timer.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/formats/describe.h"
#include "ymir/cache/formats/obj.h"
#include "ymir/cache/formats/ply.h"
#include "ymir/grooms/generate.h"
#include "ymir/grooms/guides.h"
#include "ymir/grooms/head.h"
#include "ymir/preview/png.h"

namespace ymir::cli {
namespace {

Scalp load_scalp(const GroomScalp& arguments) {
  ScalpOptions options;
  if (!arguments.region.empty()) options.channel = arguments.region;
  if (!arguments.max_angle.empty()) options.max_angle = quantity("--max-angle", arguments.max_angle, unit::radian, 0);
  if (arguments.mesh.empty()) return Scalp(head_mesh(), options, "built-in head");
  return Scalp(read_surface(arguments.mesh), options, arguments.mesh.string());
}

ObjectState drawn(const Surface& surface) {
  ObjectState object{.name = "Head", .kind = "surface", .channels = {}, .attributes = {}};
  std::vector<Vec3f> positions, colors(surface.positions.size(), Vec3f(0.58f, 0.44f, 0.36f));
  std::vector<Vec3i> triangles;
  for (const Vec3d& p : surface.positions) positions.emplace_back(p);
  for (const auto& t : surface.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  object.channels["position"] = {Place::vertex, Array::of(positions), "m"};
  object.channels["color"] = {Place::vertex, Array::of(colors)};
  object.channels["triangles"] = {Place::face, Array::of(triangles)};
  return object;
}

// A head has a hundred thousand hairs; fewer are drawn thicker, to cover as much.
ObjectState drawn(const Curves& curves) {
  constexpr double full_head = 100'000;
  const double thicker = std::clamp(std::pow(full_head / static_cast<double>(curves.strand_count()), 0.65), 1.0, 10.0);
  ObjectState object{.name = "Groom", .kind = "curves", .channels = {}, .attributes = {}};
  std::vector<Vec3f> positions;
  std::vector<float> radii(curves.positions.size(), 4e-5f);
  for (const Vec3d& p : curves.positions) positions.emplace_back(p);
  if (const Array* radius = curves.vertices.find("radius"); radius != nullptr && radius->holds<float>())
    std::copy_n(radius->as<float>().begin(), radii.size(), radii.begin());
  for (float& r : radii) r *= static_cast<float>(thicker);
  object.channels["position"] = {Place::vertex, Array::of(positions), "m"};
  object.channels["first"] = {Place::object, Array::of(curves.first)};
  object.channels["radius"] = {Place::vertex, Array::of(radii), "m"};
  return object;
}

void require_picture(const GroomPicture& picture, const std::vector<std::filesystem::path>& others) {
  if (picture.file.empty()) return;
  if (picture.file.extension() != ".png")
    throw Error(ExitCode::usage, "--picture " + picture.file.string() + ": pictures are .png; name the file so");
  require_other_file(picture.file, others);
}

void draw(const GroomPicture& picture, const Surface& scalp, const Curves* groom) {
  if (picture.file.empty()) return;
  Frame frame;
  frame.objects.push_back(drawn(scalp));
  if (groom != nullptr) frame.objects.push_back(drawn(*groom));
  PreviewScene scene = scene_from_frame(frame);
  Framing framing;
  framing.add(scene);
  const Box box = framing.bounds();
  const double turn = picture.turn * std::numbers::pi / 180;
  const double radius = 0.5 * norm(box.size());
  CameraChoice choice;
  choice.fov = 0.4;
  choice.target = box.center();
  choice.eye = box.center() + Vec3d(std::sin(turn), 0.18, std::cos(turn)) * (radius / std::sin(0.2) * 0.95);
  scene.camera = framing.camera(static_cast<double>(picture.render.width) / picture.render.height, choice);
  // The light comes over the camera's left shoulder, wherever it stands.
  const Vec3d sun(scene.environment.to_sun);
  scene.environment.to_sun = Vec3f(
      Vec3d(std::cos(turn) * sun.x + std::sin(turn) * sun.z, sun.y, std::cos(turn) * sun.z - std::sin(turn) * sun.x));
  AtomicFile file(picture.file);
  file.write(encode_png(render(scene, picture.render)));
  file.commit();
}

}  // namespace

ExitCode groom_head(const GroomHeadArguments& arguments) {
  require_picture(arguments.picture, {arguments.out});
  const Surface head = head_mesh();
  const std::string extension = arguments.out.extension().string();
  if (extension == ".ply")
    write_ply(arguments.out, head);
  else if (extension == ".obj")
    write_obj(arguments.out, head);
  else
    throw Error(ExitCode::usage, arguments.out.string() + ": no such format for a mesh; name the file .ply or .obj");
  log::info(fmt::format("{}: {} triangles", arguments.out.string(), head.triangles.size()));
  draw(arguments.picture, head, nullptr);
  return ExitCode::ok;
}

ExitCode groom_generate(const GroomGenerateArguments& arguments) {
  GroomParams params = default_params(hairstyle_of(arguments.style));
  require_groom_format(arguments.out);
  require_other_file(arguments.out, {arguments.scalp.mesh});
  require_picture(arguments.picture, {arguments.out, arguments.scalp.mesh});
  params.strands = arguments.strands.value_or(params.strands);
  params.length = quantity("--length", arguments.length, unit::m, params.length);
  params.curl_radius = quantity("--curl-radius", arguments.curl_radius, unit::m, params.curl_radius);
  params.curl_pitch = quantity("--curl-pitch", arguments.curl_pitch, unit::m, params.curl_pitch);
  params.radius = quantity("--radius", arguments.radius, unit::m, params.radius);
  params.noise = arguments.noise.value_or(params.noise);
  params.seed = arguments.seed;
  params.vertices = arguments.vertices.value_or(std::max(params.vertices, vertices_for_curl(params)));
  require_valid(params);
  if (params.vertices < vertices_for_curl(params))
    log::warn(fmt::format("{} vertices are few for these curls; {} draw 10 per turn", params.vertices,
                          vertices_for_curl(params)));
  const Scalp scalp = load_scalp(arguments.scalp);
  const Timer timer;
  const Curves groom = generate_groom(scalp, params);
  const double seconds = timer.seconds();
  write_groom(arguments.out, groom);
  log::info(fmt::format("{}: {} strands of {} vertices in {:.1f} s", arguments.out.string(), grouped(params.strands),
                        params.vertices, seconds));
  draw(arguments.picture, scalp.surface(), &groom);
  return ExitCode::ok;
}

ExitCode groom_guides(const GroomGuidesArguments& arguments) {
  require_groom_format(arguments.out);
  require_other_file(arguments.out, {arguments.groom, arguments.scalp.mesh});
  require_picture(arguments.picture, {arguments.out, arguments.groom, arguments.scalp.mesh});
  const Curves groom = read_groom(arguments.groom, scale_of(arguments.scale));
  const GuideSelection selection = select_guides(groom, arguments.count, arguments.groom.string());
  const Curves guides = strands_of(groom, selection.strands);
  write_groom(arguments.out, guides);
  log::info(
      fmt::format("{}: {} of {} strands; a strand is {:.3g} mm from its nearest guide on average, {:.3g} mm at most",
                  arguments.out.string(), grouped(static_cast<std::int64_t>(guides.strand_count())),
                  grouped(static_cast<std::int64_t>(groom.strand_count())), 1e3 * selection.mean_distance,
                  1e3 * selection.max_distance));
  if (!arguments.picture.file.empty()) draw(arguments.picture, load_scalp(arguments.scalp).surface(), &guides);
  return ExitCode::ok;
}

}  // namespace ymir::cli
