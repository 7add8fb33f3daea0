// Behaviors of the setup tests and of the YAML fuzzer: between them, every kind of parameter.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ymir/behaviors/registry.h"

namespace ymir::sample {

struct Gravity final : Behavior {
  struct Params {
    Varying<Vec3d> acceleration{{0, -9.81, 0}};
  };
  static Schema<Params> schema() {
    return Schema<Params>("gravity", "Uniform body force per unit mass.")
        .category(Category::force)
        .example("examples/embers.yaml")
        .param(&Params::acceleration, "acceleration", unit::m_per_s2, "Acceleration of every object in scope.");
  }
  explicit Gravity(Params p) : params(std::move(p)) {}
  void create(Scope&) override {}
  Params params;
};

struct Rod final : Behavior {
  struct Params {
    InputRef input;
    Varying<double> youngs_modulus{3.5e9};
    double density = 1300;
    double radius = 40e-6;
  };
  static Schema<Params> schema() {
    return Schema<Params>("rod", "Elastic rods along curves.")
        .category(Category::material)
        .param(&Params::input, "input", "Curves to simulate.")
        .accepts({InputKind::curves})
        .required()
        .param(&Params::youngs_modulus, "youngs_modulus", unit::pascal, "Resistance to stretching.")
        .positive()
        .renamed_from("stiffness")
        .param(&Params::density, "density", unit::kg_per_m3, "Mass per volume.")
        .range(1, 1e5)
        .param(&Params::radius, "radius", unit::m, "Radius of a strand.")
        .positive();
  }
  explicit Rod(Params p) : params(std::move(p)) {}
  void create(Scope&) override {}
  Params params;
};

struct Everything final : Behavior {
  enum class Shape { box, sphere, plane };
  struct Emitter {
    double rate = 100;
    Vec3d center{0, 1, 0};
  };
  static Schema<Emitter> emitter_schema() {
    return Schema<Emitter>("emitter", "Source of particles.")
        .param(&Emitter::rate, "rate", unit::per_second, "Particles per second.")
        .at_least(0)
        .param(&Emitter::center, "center", unit::m, "Middle of the source.");
  }
  struct Params {
    bool flag = true;
    int count = 3;
    std::int64_t seed = 7;
    double length = 0.5;
    Vec3d offset{1, 2, 3};
    std::string label = "plain";
    Shape shape = Shape::sphere;
    std::vector<double> weights{0.25, 0.75};
    InputRef source;
    GroupRef around;
    std::optional<double> limit;
    std::optional<Shape> cut;
    Emitter emit;
    std::optional<Emitter> burst;
    std::vector<Emitter> sources;
  };
  static Schema<Params> schema() {
    return Schema<Params>("everything", "One parameter of each kind.")
        .category(Category::object)
        .param(&Params::flag, "flag", "A switch.")
        .param(&Params::count, "count", "A small number.")
        .param(&Params::seed, "seed", "A large number.")
        .at_least(0)
        .advanced()
        .param(&Params::length, "length", unit::m, "A length.")
        .range(0, 10)
        .param(&Params::offset, "offset", unit::m, "A vector.")
        .param(&Params::label, "label", "A text.")
        .param(&Params::shape, "shape", "A choice.")
        .enumerated<Shape>({{"box", Shape::box}, {"sphere", Shape::sphere}, {"plane", Shape::plane}})
        .param(&Params::weights, "weights", unit::none, "A list.")
        .range(0, 1)
        .param(&Params::source, "source", "An input.")
        .param(&Params::around, "around", "A group.")
        .param(&Params::limit, "limit", unit::s, "An optional time.")
        .positive()
        .param(&Params::cut, "cut", "An optional choice.")
        .enumerated<Shape>({{"box", Shape::box}, {"plane", Shape::plane}})
        .param(&Params::emit, "emit", emitter_schema(), "A struct.")
        .param(&Params::burst, "burst", emitter_schema(), "An optional struct.")
        .param(&Params::sources, "sources", emitter_schema(), "A list of structs.");
  }
  explicit Everything(Params p) : params(std::move(p)) {}
  void create(Scope&) override {}
  Params params;
};

inline Registry registry() {
  Registry r;
  r.add<Gravity>();
  r.add<Rod>();
  r.add<Everything>();
  return r;
}

}  // namespace ymir::sample
