// Points, strands and gas on surfaces that deform, against what the motion of the surface demands.
#include <fmt/format.h>

#include <cmath>

#include "gas_run.h"
#include "particle_run.h"
#include "strands_run.h"
#include "ymir/actions/deforming_strand_contact.h"
#include "ymir/cache/formats/obj.h"
#include "ymir/data/deformation.h"
#include "ymir/data/shape_meshes.h"

namespace ymir::verification {
namespace {

// Poses of `shape(time)`, one per frame.
AnimatedSurface animated(double fps, std::int64_t frames, std::function<Surface(double time)> shape) {
  SurfaceSequence sequence;
  sequence.first = 0;
  sequence.last = frames;
  sequence.fps = fps;
  sequence.load = [shape = std::move(shape), fps](std::int64_t frame) {
    return shape(static_cast<double>(frame) / fps);
  };
  sequence.name = [](std::int64_t frame) { return "pose " + std::to_string(frame); };
  return AnimatedSurface(std::move(sequence));
}

// OBJ files of a shape, one per frame from 0 on.
class Sequence {
 public:
  Sequence(const char* name, double fps, int frames, const std::function<Surface(double time)>& shape) {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("ymir_{}_{}", name, getpid());
    std::filesystem::create_directories(folder_);
    for (int f = 0; f <= frames; ++f) write_obj(folder_ / fmt::format("s.{:03d}.obj", f), shape(f / fps));
  }
  ~Sequence() { std::filesystem::remove_all(folder_); }
  std::string input() const { return ", body: {surface: " + (folder_ / "s.###.obj").string() + "}"; }

 private:
  std::filesystem::path folder_;
};

// Bouncy or not: what rests has the velocity of the surface, exactly, from the first substep on.
TEST(GrowingSphere, GivesARestingParticleItsSpeed) {
  const double speed = 0.2, r = 5e-3;
  const Sequence body("grows", 24, 24, [&](double t) { return sphere_mesh({100, 0, 0}, 0.3 + speed * t, 24); });
  for (const int substeps : {1, 4, 8})
    for (const double restitution : {0.0, 0.8}) {
      double worst = 0;
      const Particle end = run_particle(
          {{100, 0.3 + r, 0}, {0, 0, 0}}, fmt::format("{{frames: [1, 12], fps: 24, substeps: {}}}", substeps),
          fmt::format("  - gravity\n  - particle_object: {{points: start, radius: 5 mm}}\n"
                      "  - collider: {{shape: mesh, surface: body, restitution: {}}}\n",
                      restitution),
          [&](double t, const Particle& p) { worst = std::max(worst, std::abs(p.position.y - (0.3 + r + speed * t))); },
          "", "", body.input());
      fmt::print("{} substeps, restitution {}: particle on a sphere growing at {} m/s: {:.12f} m/s, {:.1e} m off\n",
                 substeps, restitution, speed, end.velocity.y, worst);
      EXPECT_NEAR(end.velocity.y, speed, 1e-9);
      EXPECT_LT(worst, 1e-9);
    }
}

TEST(ShearedBox, DragsAMarbleByFriction) {
  // The top slides at 0.5 m/s while the bottom stays: each point has its own velocity.
  const auto shape = [](double t) {
    Surface s = box_mesh({0, -0.1, 0}, {2, 0.1, 2}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1});
    for (Vec3d& p : s.positions) p.x += p.y < -0.1 ? 0 : 0.5 * t;
    return s;
  };
  const Sequence body("sheared", 24, 24, shape);
  const Particle end = run_particle(
      {{0.2, 5e-3, 0.1}, {0, 0, 0}}, "{frames: [1, 24], fps: 24, substeps: 4}",
      "  - gravity\n  - particle_object: {points: start, radius: 5 mm}\n"
      "  - collider: {shape: mesh, surface: body, friction: 0.5, restitution: 0}\n",
      [](double, const Particle&) {}, "", "", body.input());
  EXPECT_NEAR(end.velocity.x, 0.5, 1e-9);
  EXPECT_NEAR(end.position.y, 5e-3, 1e-9);
  // It slid for v / (mu g), losing half of that way.
  EXPECT_NEAR(end.position.x, 0.2 + 0.5 - 0.5 * 0.25 / (0.5 * 9.81), 5e-3);
}

TEST(MeshSampledExactly, AgreesWithTheRigidPath) {
  // The same marble on the same spinning disc, by the grid and by triangles.
  const auto run = [](const char* sampling) {
    const Sequence body("disc", 24, 0, [](double) {
      return box_mesh({0, -0.1, 0}, {0.5, 0.1, 0.5}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1});
    });
    std::string input = body.input();
    input.pop_back();
    return run_particle(
        {{0.2, 5e-3, 0}, {0, 0, -0.4}}, "{frames: [1, 24], fps: 24, substeps: 8}",
        fmt::format("  - gravity\n  - particle_object: {{points: start, radius: 5 mm}}\n"
                    "  - collider: {{shape: mesh, surface: body, friction: 1, sampling: {}}}\n",
                    sampling),
        [](double, const Particle&) {}, "", "",
        input + ", motion: [{time: 0}, {time: 10 s, rotation: [0, 20 rad, 0]}]}");
  };
  const Particle grid = run("grid"), exact = run("exact");
  EXPECT_LT(norm(grid.position - exact.position), 2e-3);
  EXPECT_NEAR(exact.position.y, 5e-3, 1e-6);
}

// A loose strand on top of a body.
StrandsCase loose(Vec3d from, Vec3d to) {
  StrandsCase c;
  c.radius = 1e-4;
  c.mass = 5e-4;
  c.bend = 1e-7;
  c.twist = 7e-8;
  c.stretch = 1e3;
  c.clamped = false;
  c.newton = {1e-7, 500};
  c.strands = {line(from, to, 10)};
  return c;
}

TEST(StrandOnADeformingBody, StaysOnItAndMovesWithIt) {
  // A slab that moves along x at 0.3 m/s, rises at 0.2 m/s and bulges; the strand lies across.
  const auto shape = [](double t) {
    Surface s;
    const int n = 20;
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i) {
        const double x = 0.4 * i / n - 0.2, z = 0.4 * j / n - 0.2;
        s.positions.push_back({x + 0.3 * t, 0.2 * t - 0.5 * t * (x * x + z * z), z});
      }
    const auto top = static_cast<std::int32_t>(s.positions.size());
    for (std::int32_t v = 0; v < top; ++v)
      s.positions.push_back(s.positions[static_cast<std::size_t>(v)] - Vec3d{0, 0.05, 0});
    const auto at = [&](int i, int j) { return j * (n + 1) + i; };
    const auto quad = [&](std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
      s.triangles.push_back({a, b, c});
      s.triangles.push_back({a, c, d});
    };
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        quad(at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j));
        quad(top + at(i, j), top + at(i + 1, j), top + at(i + 1, j + 1), top + at(i, j + 1));
      }
    for (int i = 0; i < n; ++i) {
      quad(at(i, 0), at(i + 1, 0), top + at(i + 1, 0), top + at(i, 0));
      quad(at(i + 1, n), at(i, n), top + at(i, n), top + at(i + 1, n));
      quad(at(0, i + 1), at(0, i), top + at(0, i), top + at(0, i + 1));
      quad(at(n, i), at(n, i + 1), top + at(n, i + 1), top + at(n, i));
    }
    return s;
  };
  const auto body = std::make_shared<const DeformingSurface>(animated(24, 24, shape), "slab");
  ASSERT_EQ(body->hierarchy().boundary_edges(), 0);
  StrandsRun run;
  PenaltyParams params;
  params.friction = 0.6;
  const StrandsCase c = loose({0, 6e-4, -0.1}, {0, 6e-4, 0.1});
  add_deforming_strand_contact(run.add(c), "collider", body, params, 0.2);
  run.load = [](const StrandsRun::Vertex& v) { return Vec3d{0, -9.81 * v.mass, 0}; };
  run.start();
  const double dt = 1.0 / 192;
  double deepest = 1, highest = -1;
  for (int k = 0; k < 160; ++k) {
    run.step(dt);
    const auto now = body->during(run.time(), run.time());
    for (int i = 0; i <= 10 && k > 40; ++i) {
      const double d = now->sample(run.position(0, 0, i), run.time()).distance;
      deepest = std::min(deepest, d);
      highest = std::max(highest, d);
    }
  }
  const double t = run.time(), slid = run.position(0, 0, 5).x - 0.3 * t;
  fmt::print("strand on a moving, bulging slab: {:.3f} to {:.3f} mm above it, slid by {:.2f} mm\n", deepest * 1e3,
             highest * 1e3, slid * 1e3);
  EXPECT_GT(deepest, 0);
  EXPECT_LT(highest, 2e-3) << "it keeps on the surface";
  // Brought to speed by friction: v^2 / (2 mu g) is lost, and little more.
  EXPECT_LT(std::abs(slid), 0.3 * 0.3 / (2 * 0.6 * 9.81) + 3e-3);
}

TEST(StrandInAFinger, IsBroughtOutOnTheNearSideWithoutAJump) {
  // A capsule of 4 mm radius; the strand runs along it, 1 mm under its surface.
  for (const double turn : {0.0, 0.52}) {
    const Vec3d out{std::cos(turn), 0, std::sin(turn)};
    const auto body =
        std::make_shared<const DeformingSurface>(animated(24, 24,
                                                          [](double t) {
                                                            return capsule_mesh({0, 0, 0}, 4e-3 + 1e-4 * t, 0.08, 24);
                                                          }),
                                                 "finger");
    StrandsRun run;
    const double push_out = 0.02;
    StrandsCase c = loose(out * 3e-3 + Vec3d{0, -0.02, 0}, out * 3e-3 + Vec3d{0, 0.02, 0});
    add_deforming_strand_contact(run.add(c), "collider", body, {}, push_out);
    run.start();
    const double dt = 1.0 / 240;
    double fastest = 0;
    std::vector<Vec3d> before = run.all_positions();
    for (int k = 0; k < 48; ++k) {
      run.step(dt);
      const std::vector<Vec3d> now = run.all_positions();
      for (std::size_t i = 0; i < now.size(); ++i) fastest = std::max(fastest, norm(now[i] - before[i]) / dt);
      before = now;
    }
    for (int i = 0; i <= 10; ++i) {
      const Vec3d x = run.position(0, 0, i);
      EXPECT_GT(dot(x, out), 3.9e-3) << i;
      EXPECT_LT(dot(x, out), 3e-3 + 1.15 * push_out * run.time()) << i << ": nothing slows it once it is out";
    }
    fmt::print("strand in a finger: out at {:.4f} m/s at most (push_out {} m/s)\n", fastest, push_out);
    EXPECT_LT(fastest, 1.15 * push_out);
  }
}

// The gas around a growing sphere in a box with open sides, where pressure and so the potential vanish: a source, its
// mirror images in the sides with alternating signs, and the dipole that keeps the images' wind at the centre out of
// the sphere. What is left out are the images' gradients across the sphere, (R/2h)^3 and less of R' for a sphere near
// the middle.
class SourceInABox {
 public:
  SourceInABox(Vec3d centre, double radius, double half) : centre_(centre), radius_(radius) {
    constexpr int far = 4;
    const auto place = [&](int k, double x) { return 2 * half * k + (k % 2 == 0 ? x : -x); };
    // Images on the rim of the summed block count half, its edges a quarter and so on: the block is neutral.
    const auto weight = [](int k) { return (k % 2 == 0 ? 1.0 : -1.0) * (std::abs(k) == far ? 0.5 : 1.0); };
    for (int k = -far; k <= far; ++k)
      for (int j = -far; j <= far; ++j)
        for (int i = -far; i <= far; ++i)
          if (i != 0 || j != 0 || k != 0)
            images_.push_back(
                {{place(i, centre.x), place(j, centre.y), place(k, centre.z)}, weight(i) * weight(j) * weight(k)});
    wind_ = of_images(centre);
  }
  // By the speed at which the sphere grows.
  Vec3d velocity(Vec3d x) const {
    const Vec3d r = x - centre_;
    const double d = norm(r), cube = radius_ * radius_ * radius_ / (d * d * d);
    const Vec3d dipole = (wind_ - r * (3 * dot(wind_, r) / (d * d))) * (0.5 * cube);
    return r * (radius_ * radius_ / (d * d * d)) + of_images(x) + dipole;
  }

 private:
  struct Image {
    Vec3d x;
    double weight;
  };
  Vec3d of_images(Vec3d x) const {
    Vec3d sum{0, 0, 0};
    for (const Image& image : images_) {
      const Vec3d r = x - image.x;
      const double d2 = dot(r, r);
      sum += r * (image.weight * radius_ * radius_ / (d2 * std::sqrt(d2)));
    }
    return sum;
  }
  Vec3d centre_, wind_;
  double radius_;
  std::vector<Image> images_;
};

struct Pulse {
  double flux;   // through the sides of the box, by 4 pi R^2 R'
  double error;  // largest of the velocity from 1.4 R to 2.2 R, by R'
};

Pulse pulse(double voxel, Vec3d shift) {
  const double radius = 0.5, speed = 0.1, half = 1.6;
  GasCase c;
  c.voxel = voxel;
  c.box = {Vec3d{-half, -half, -half}, Vec3d{half, half, half}};
  c.closed = false;
  c.dt = 0.01;
  GasRun run(c);
  const auto body = std::make_shared<const DeformingSurface>(
      animated(100, 100, [&](double t) { return sphere_mesh(shift, radius + speed * t, 64); }), "pulse");
  run.gas().add_solid({{}, 1, {}, Wall::free_slip, body});
  run.begin();
  run.advance(1);
  run.gas().project({0, 0, 0, 0, c.dt});
  const double now = radius + speed * c.dt;
  const SourceInABox exact(shift, now, half);
  Pulse result{0, 0};
  double out = 0;
  const double edge = half - voxel;  // a box of faces inside the gas
  run.for_faces([&](Vec3d x, double u, int axis) {
    const Vec3d r = x - shift;
    if (norm(r) > 1.4 * now && norm(r) < 2.2 * now) {
      result.error = std::max(result.error, std::abs(u / speed - exact.velocity(x)[axis]));
    }
    if (std::abs(std::abs(x[axis]) - edge) > 1e-6 * voxel) return;
    if (std::abs(x[(axis + 1) % 3]) > edge || std::abs(x[(axis + 2) % 3]) > edge) return;
    out += (x[axis] > 0 ? u : -u) * voxel * voxel;
  });
  result.flux = out / (4 * M_PI * now * now * speed);
  return result;
}

TEST(PulsatingSphere, DisplacesWhatItGrowsBy) {
  const Pulse coarse = pulse(0.1, {0.013, 0.027, -0.008}), fine = pulse(0.05, {0.013, 0.027, -0.008});
  fmt::print(
      "pulsating sphere, 5 voxels in its radius: flux {:.4f} of what it displaces, velocity within {:.3f} of R'; "
      "10 voxels: {:.4f}, {:.3f}\n",
      coarse.flux, coarse.error, fine.flux, fine.error);
  EXPECT_NEAR(coarse.flux, 1, 0.03);
  EXPECT_NEAR(fine.flux, 1, 0.01);
  EXPECT_LT(fine.error, 0.05);
}

}  // namespace
}  // namespace ymir::verification
