// Strands thinner than a few pixels, as they fall on the picture: short straight pieces of smooth curves through the
// vertices, with their light, sorted into square cells of the picture.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/preview/lighting.h"
#include "ymir/preview/scene.h"
#include "ymir/preview/view.h"

namespace ymir {

class StrandPieces {
 public:
  static constexpr int cell = 32;  // [pixel]

  struct Point {
    float x = 0, y = 0;    // [pixel]
    float distance = 0;    // from the eye [m]
    float half_width = 0;  // [pixel]
    Vec3f radiance;        // towards the eye
    std::uint32_t strand = 0;
  };

  // The strands that `geometry` leaves to it, and the lines of the scene.
  StrandPieces(const PreviewScene&, const Geometry&, const Lighting&, const View&);

  bool empty() const { return points_.empty(); }
  // Pieces that may touch a cell, in a fixed order: piece p goes from point p to point p + 1.
  std::span<const std::uint32_t> in_cell(int column, int row) const;
  const Point& point(std::size_t i) const { return points_[i]; }
  int columns() const { return columns_; }
  int rows() const { return rows_; }

 private:
  void add_lines(const PreviewLines&, const View&);
  void sort_into_cells();

  int width_, height_, columns_, rows_;
  std::vector<Point> points_;
  std::vector<std::size_t> start_;  // of each cell in pieces_
  std::vector<std::uint32_t> pieces_;
};

}  // namespace ymir
