// Strands whose roots may be held by something that moves, whatever they are made of; and what their curves say of
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ymir/data/meshes.h"

namespace ymir {

// Where roots are at a time [s].
struct RootFrame {
  Vec3d position, tangent, m1;
};
struct RootMotion {
  std::string owner;
  // Once per substep, on one thread, before `pose` at any time within it; may be empty.
  std::function<void(double begin, double end)> prepare;
  std::function<RootFrame(std::int64_t strand, double time)> pose;
};

class RootedStrands {
 public:
  virtual ~RootedStrands() = default;
  // All before ingest.
  virtual std::size_t input_strands() const = 0;
  // Rest pose of a strand's root.
  virtual RootFrame root_frame(std::int64_t strand) const = 0;
  virtual void set_root_motion(RootMotion motion) = 0;
  virtual void release_roots() = 0;  // something else holds them
  virtual bool clamped() const = 0;
};

// Root of a strand of curves: its first edge, or the channels root_tangent and root_normal.
RootFrame root_frame_of(const Curves& curves, std::int64_t strand);
// A vector per strand; nothing where there is none.
std::optional<Vec3d> strand_vector(const Curves& curves, const char* name, std::int64_t strand);
// A real-valued channel of the curves (per vertex, else per strand) at a vertex of a strand.
std::optional<double> curve_value(const Curves& curves, std::string_view name, std::int64_t strand, int vertex);
// Error(bad_input) of a strand without vertices, or with one that is not finite.
void refuse_bad_shapes(const Curves& curves, const std::string& owner);

}  // namespace ymir
