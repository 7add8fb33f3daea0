// A piece of a Boundary by itself, as it travels between ranks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ymir/parallel/message.h"
#include "ymir/solids/detection/boundary.h"

namespace ymir {

struct ShownPiece {
  PieceId id;
  PieceKind kind = PieceKind::fiber;
  PieceTraits traits;
  std::vector<Vec3d> positions;
  std::vector<double> radii, friction;
  std::vector<std::uint8_t> held;
  std::vector<std::int64_t> labels;                  // of loose points
  std::vector<std::array<std::int32_t, 3>> corners;  // of a mesh

  ShownPiece() = default;
  ShownPiece(const Boundary& boundary, std::int32_t piece);
  explicit ShownPiece(MessageReader& in);
  void write(MessageWriter& out) const;
  void add_to(Boundary& boundary) const;
};

}  // namespace ymir
