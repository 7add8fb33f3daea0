// Ray tracing by Embree 3. The only file that sees its headers.
#include "ymir/preview/tracer.h"

#ifdef YMIR_HAS_EMBREE

#include <embree3/rtcore.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ymir/base/error.h"

namespace ymir {
namespace {

void see_sphere(const RTCFilterFunctionNArguments* arguments) {
  const auto& g = *static_cast<const Geometry*>(arguments->geometryUserPtr);
  for (unsigned i = 0; i < arguments->N; ++i) {
    if (arguments->valid[i] == 0) continue;
    if (RTCHitN_geomID(arguments->hit, arguments->N, i) != static_cast<unsigned>(Primitive::sphere)) continue;
    const unsigned sphere = RTCHitN_primID(arguments->hit, arguments->N, i);
    const unsigned seed = RTCRayN_id(arguments->ray, arguments->N, i);
    if (!meets(seed, sphere, g.sphere_opacity[sphere])) arguments->valid[i] = 0;
  }
}

std::vector<Vec4f> with_radius(std::vector<Vec4f> balls, const std::vector<float>& radii) {
  for (std::size_t i = 0; i < balls.size(); ++i) balls[i].w = radii[i];
  return balls;
}

RTCRay to_embree(const Ray& ray) {
  RTCRay r{};
  r.org_x = ray.origin.x;
  r.org_y = ray.origin.y;
  r.org_z = ray.origin.z;
  r.dir_x = ray.direction.x;
  r.dir_y = ray.direction.y;
  r.dir_z = ray.direction.z;
  r.tnear = ray.t_min;
  r.tfar = ray.t_max;
  r.mask = 0xffffffffu;
  r.id = ray.seed;
  return r;
}

class EmbreeTracer final : public Tracer {
 public:
  EmbreeTracer(const Geometry& geometry, int threads) : geometry_(geometry) {
    device_ = rtcNewDevice(fmt::format("threads={}", std::max(threads, 1)).c_str());
    if (device_ == nullptr)
      throw Error(ExitCode::io, "preview: Embree cannot start on this machine; choose the rasteriser instead");
    seen_ = rtcNewScene(device_);
    rtcSetSceneFlags(seen_, RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION);
    shading_ = rtcNewScene(device_);
    if (geometry.sphere_emission.empty()) shading_spheres_ = with_radius(geometry.spheres, geometry.sphere_radius);
    add_spheres(seen_, geometry.spheres);
    add_spheres(shading_, shading_spheres_);
    add_curves(seen_, geometry.curve_vertices);
    add_curves(shading_, geometry.curve_vertices);
    add_triangles();
    rtcCommitScene(seen_);
    rtcCommitScene(shading_);
    if (rtcGetDeviceError(device_) != RTC_ERROR_NONE) {
      release();
      throw Error(ExitCode::io, "preview: Embree could not build the scene (out of memory?); draw fewer elements");
    }
  }
  ~EmbreeTracer() override { release(); }
  EmbreeTracer(const EmbreeTracer&) = delete;
  EmbreeTracer& operator=(const EmbreeTracer&) = delete;

  class EmbreeSight final : public Sight {
   public:
    explicit EmbreeSight(const EmbreeTracer& tracer) : tracer_(tracer) {}
    Hit first_hit(int, int, int, const Ray& ray) const override { return tracer_.closest(ray); }

   private:
    const EmbreeTracer& tracer_;
  };
  std::unique_ptr<Sight> look(const Tile&, int, int) const override { return std::make_unique<EmbreeSight>(*this); }

  bool occluded(const Ray& ray) const override {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRay r = to_embree(ray);
    rtcOccluded1(shading_, &context, &r);
    return r.tfar < 0;
  }

 private:
  Hit closest(const Ray& ray) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    if (ray.dithered) context.filter = see_sphere;
    RTCRayHit query{};
    query.ray = to_embree(ray);
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(seen_, &context, &query);
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return {};
    Hit hit{static_cast<Primitive>(query.hit.geomID), query.hit.primID, query.ray.tfar, query.hit.u, query.hit.v};
    if (hit.primitive == Primitive::sphere && !ray.dithered) hit.opacity = geometry_.sphere_opacity[hit.index];
    if (hit.primitive == Primitive::triangle) hit.opacity = geometry_.mesh_opacity;
    return hit;
  }

  // The geometry's number in a scene is its kind of primitive.
  void attach(RTCScene scene, RTCGeometry geometry, Primitive primitive) {
    rtcSetGeometryUserData(geometry, const_cast<Geometry*>(&geometry_));
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(scene, geometry, static_cast<unsigned>(primitive));
    rtcReleaseGeometry(geometry);
  }

  void add_spheres(RTCScene scene, const std::vector<Vec4f>& spheres) {
    if (spheres.empty()) return;
    RTCGeometry g = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, spheres.data(), 0, sizeof(Vec4f),
                               spheres.size());
    attach(scene, g, Primitive::sphere);
  }

  void add_curves(RTCScene scene, const std::vector<Vec4f>& vertices) {
    if (vertices.empty()) return;
    RTCGeometry g = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, vertices.data(), 0, sizeof(Vec4f),
                               vertices.size());
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, geometry_.segments.data(), 0,
                               sizeof(std::uint32_t), geometry_.segments.size());
    static_assert(RTC_CURVE_FLAG_NEIGHBOR_LEFT == 1 && RTC_CURVE_FLAG_NEIGHBOR_RIGHT == 2);
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_FLAGS, 0, RTC_FORMAT_UCHAR, geometry_.segment_flags.data(), 0, 1,
                               geometry_.segment_flags.size());
    attach(scene, g, Primitive::segment);
  }

  void add_triangles() {
    if (geometry_.triangles.empty()) return;
    RTCGeometry g = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, geometry_.mesh_vertices.data(), 0,
                               sizeof(Vec4f), geometry_.mesh_vertices.size());
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, geometry_.triangles.data(), 0,
                               3 * sizeof(std::uint32_t), geometry_.triangles.size());
    if (geometry_.mesh_opacity >= 1) {
      rtcRetainGeometry(g);
      attach(shading_, g, Primitive::triangle);
    }
    attach(seen_, g, Primitive::triangle);
  }

  void release() {
    rtcReleaseScene(shading_);
    rtcReleaseScene(seen_);
    rtcReleaseDevice(device_);
  }

  const Geometry& geometry_;
  RTCDevice device_ = nullptr;
  std::vector<Vec4f> shading_spheres_;
  RTCScene seen_ = nullptr;
  RTCScene shading_ = nullptr;
};

}  // namespace

std::unique_ptr<Tracer> make_embree_tracer(const Geometry& geometry, int threads) {
  return std::make_unique<EmbreeTracer>(geometry, threads);
}

}  // namespace ymir

#else

namespace ymir {

std::unique_ptr<Tracer> make_embree_tracer(const Geometry&, int) { return nullptr; }

}  // namespace ymir

#endif
