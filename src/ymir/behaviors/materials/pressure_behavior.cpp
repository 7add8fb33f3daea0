#include "ymir/behaviors/materials/pressure_behavior.h"

#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<PressureBehavior::Params> PressureBehavior::schema() {
  return Schema<Params>("pressure", "Keeps gas incompressible.")
      .category(Category::material)
      .once()
      .example("examples/smoke_plume.yaml")
      .param(&Params::method, "method",
             "How it is solved: automatic begins with multigrid on the tiles and changes to a method for hard geometry "
             "(split aggregates, algebraic multigrid, direct) where that is slow. direct is exact, and meant for up to "
             "some "
             "100,000 voxels.")
      .enumerated<PressureMethod>({{"automatic", PressureMethod::automatic},
                                   {"multigrid", PressureMethod::multigrid},
                                   {"split", PressureMethod::split},
                                   {"amg", PressureMethod::amg},
                                   {"direct", PressureMethod::direct}})
      .advanced()
      .param(&Params::tolerance, "tolerance", unit::none, "Residual of the pressure by its beginning, at the end.")
      .range(1e-12, 0.1)
      .param(&Params::iterations, "iterations", "Most iterations of a solve; a substep that needs more is halved.")
      .range(1, 10000)
      .advanced();
}

void PressureBehavior::create(Scope& scope) {
  for (VolumeObject* gas : scope.volume_objects()) {
    VolumeObject::Pressure pressure;
    pressure.enabled = true;
    pressure.method = params_.method;
    pressure.options.tolerance = params_.tolerance;
    pressure.options.max_iterations = params_.iterations;
    gas->set_pressure(pressure);
  }
}

}  // namespace ymir
