// What strands hide of a pixel, exactly: the width of every strand that crosses it, seen through a tent two pixels
// wide, front to back. Nothing is left to chance, so thin hair neither breaks into dots nor flickers.
#pragma once

#include <vector>

#include "ymir/preview/strand_pieces.h"

namespace ymir {

// The pixels of one cell of StrandPieces.
class StrandLayers {
 public:
  StrandLayers(const StrandPieces& pieces, int column, int row);

  struct Passed {
    Vec3f radiance;      // of the strands, towards the eye
    float through = 1;   // part of what lies behind that is seen
    float distance = 0;  // mean, of what is seen of them [m]
  };
  // Strands between two distances from the eye along the ray of pixel (x, y).
  Passed between(int x, int y, float from, float to) const;

 private:
  struct Fragment {
    float distance = 0, opacity = 0;
    Vec3f radiance;
    std::uint32_t pixel = 0, piece = 0;
  };
  struct Layer {
    float distance = 0;
    float through = 1;  // after this and all nearer ones
    float reach = 0;    // sum of distances weighted by what is seen
    Vec3f radiance;     // of this and all nearer ones
  };
  void collect(const StrandPieces&, std::uint32_t piece);
  void compose();

  int x0_, y0_;
  std::vector<Fragment> fragments_;
  std::vector<std::uint32_t> last_;   // fragment of the latest strand of each pixel, plus one
  std::vector<std::uint32_t> start_;  // of each pixel in layers_
  std::vector<Layer> layers_;
};

}  // namespace ymir
