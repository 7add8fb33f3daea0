// Drawing on a finished picture: lines, writing, the scale of its colours.
#pragma once

#include <string_view>

#include "ymir/preview/image.h"

namespace ymir {

// Colours are linear RGB; whatever lies outside the picture is left out.
class Canvas {
 public:
  explicit Canvas(Image image) : image_(std::move(image)) {}
  Canvas(int width, int height);  // nearly white

  int width() const { return image_.width; }
  int height() const { return image_.height; }
  void put(int x, int y, Vec3f color) { blend(x, y, color, 1); }
  void blend(int x, int y, Vec3f color, float opacity);
  void line(double x0, double y0, double x1, double y1, Vec3f color, float opacity);
  // Letters 3 x 5 times `size` pixels, from the top left corner; lower case is drawn as upper case.
  void text(int x, int y, std::string_view text, int size, Vec3f color = {0.02f, 0.02f, 0.02f});
  static int text_width(std::string_view text, int size) { return static_cast<int>(4 * text.size()) * size; }
  // Colours of scale_color() from bottom to top, with numbers from low to high on their right.
  void scale(int x, int y, int height, double low, double high, int letter, Vec3f ink = {0.02f, 0.02f, 0.02f});
  static constexpr int bar_width = 18;  // [pixels]

  Image take() { return std::move(image_); }

 private:
  Image image_;
};

}  // namespace ymir
