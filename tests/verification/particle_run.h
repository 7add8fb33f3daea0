// Runs a setup through every layer (YAML, registry, pipeline) and hands out the particles at the end.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "ymir/behaviors/register.h"
#include "ymir/objects/particle_object.h"
#include "ymir/setup/build.h"

namespace ymir::verification {

struct Particle {
  Vec3d position, velocity;
};

// One particle starting at `start`, simulated by a setup whose `setup:` list is `behaviors`; `visit` sees it after each
// frame.
template <class Visit>
Particle run_particle(const Particle& start, const std::string& time, const std::string& behaviors, Visit&& visit,
                      const std::string& overrides = {}, const std::string& acceleration_channel = {},
                      const std::string& more_inputs = {}) {
  const auto file = std::filesystem::temp_directory_path() / ("ymir_verification_" + std::to_string(getpid()) + ".ply");
  {
    std::ofstream out(file);
    out.precision(17);
    out << "ply\nformat ascii 1.0\nelement vertex 1\nproperty double x\nproperty double y\nproperty double z\n"
           "property double vx\nproperty double vy\nproperty double vz\n"
        << (acceleration_channel.empty() ? ""
                                         : "property double acceleration_x\nproperty double acceleration_y\n"
                                           "property double acceleration_z\n")
        << "end_header\n"
        << start.position.x << " " << start.position.y << " " << start.position.z << " " << start.velocity.x << " "
        << start.velocity.y << " " << start.velocity.z << " " << acceleration_channel << "\n";
  }
  const std::string text = "ymir: 1\ntime: " + time + "\ninputs: {start: {points: " + file.string() + ", overrides: {" +
                           overrides + "}}" + more_inputs + "}\nsetup:\n" + behaviors;
  const Registry registry = all_behaviors();
  const ReadResult read = read_setup_text(text, "verification.yaml", registry);
  if (!read.setup) throw std::runtime_error(to_string(read.diagnostics));
  Communicator alone;
  const BuiltSimulation built = build(*read.setup, alone);
  std::filesystem::remove(file);
  Simulation& simulation = *built.simulation;
  simulation.ingest();
  Particle now = start;
  const auto* object = dynamic_cast<const ParticleObject*>(simulation.objects().front().get());
  for (std::int64_t frame = read.setup->time.frames.first; frame <= read.setup->time.frames.last; ++frame) {
    simulation.advance_frame(frame);
    now = {object->particles().read(ParticleSystem::position, 0)[0],
           object->particles().read(object->velocity(), 0)[0]};
    visit(static_cast<double>(frame) / read.setup->time.fps, now);
  }
  return now;
}

inline Particle run_particle(const Particle& start, const std::string& time, const std::string& behaviors) {
  return run_particle(start, time, behaviors, [](double, const Particle&) {});
}

}  // namespace ymir::verification
