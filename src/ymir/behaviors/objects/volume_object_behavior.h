// A gas on a sparse grid: wind, smoke. [Lesser2022, 6.1, Volume Object]
#pragma once

#include <optional>

#include "ymir/behaviors/behavior.h"
#include "ymir/fluid/advection.h"
#include "ymir/fluid/gas_boundary.h"
#include "ymir/param/schema.h"

namespace ymir {

enum class DomainSide : std::uint8_t { open, closed };

struct VolumeObjectBehavior final : Behavior {
  struct Domain {
    Vec3d low{-1, -1, -1}, high{1, 1, 1};  // [m]
    DomainSide sides = DomainSide::open;
    bool left = false, right = false, floor = false, ceiling = false, back = false, front = false;  // closed
    Wall walls = Wall::free_slip;
    bool fill = false;
    static Schema<Domain> schema();
  };
  struct Params {
    double voxel = 0.02;  // [m]
    std::optional<Domain> domain;
    GroupRef around;
    double padding = 3;
    double density = 1.2;         // [kg/m^3]
    double temperature = 293.15;  // [K]
    AdvectionScheme advection = AdvectionScheme::bfecc;
    Interpolation interpolation = Interpolation::linear;
    bool reflection = false;
    double courant_number = 4;
    double threshold = 1e-3;
    std::optional<double> memory;  // [GB]
  };
  static Schema<Params> schema();

  explicit VolumeObjectBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
