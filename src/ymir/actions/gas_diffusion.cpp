#include "ymir/actions/gas_diffusion.h"

namespace ymir {

void add_diffusion(VolumeObject& gas, const std::string& owner, GasDiffusion diffusion) {
  struct State {
    Diffusion solver;
    std::int64_t version = -1;
  };
  const ChannelId<float> value = gas.named_material(diffusion.channel);
  const auto state = std::make_shared<State>(State{Diffusion(gas.grid())});
  state->solver.set_wall_value(diffusion.wall_value);
  gas.add_operator(
      {owner, "diffusion of " + diffusion.channel, [&gas, value, diffusion, state](const Step& step) {
         if (state->version != gas.boundary_version()) state->solver.boundary_changed();
         state->version = gas.boundary_version();
         const DiffusionReport report =
             state->solver.diffuse(value, diffusion.diffusivity * step.dt, gas.boundary(), diffusion.options);
         gas.note_solve("diffusion of " + diffusion.channel, report.iterations, report.converged, report.residual);
       }});
}

}  // namespace ymir
