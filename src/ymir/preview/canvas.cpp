#include "ymir/preview/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "ymir/preview/palette.h"

namespace ymir {
namespace {

// Rows from the top, three bits each, the highest to the left.
struct Glyph {
  char letter;
  std::array<int, 5> rows;
};

constexpr std::array<Glyph, 50> glyphs{{
    {'0', {7, 5, 5, 5, 7}}, {'1', {2, 6, 2, 2, 7}}, {'2', {7, 1, 7, 4, 7}}, {'3', {7, 1, 7, 1, 7}},
    {'4', {5, 5, 7, 1, 1}}, {'5', {7, 4, 7, 1, 7}}, {'6', {7, 4, 7, 5, 7}}, {'7', {7, 1, 1, 1, 1}},
    {'8', {7, 5, 7, 5, 7}}, {'9', {7, 5, 7, 1, 7}}, {'.', {0, 0, 0, 0, 2}}, {'-', {0, 0, 7, 0, 0}},
    {'+', {0, 2, 7, 2, 0}}, {'/', {1, 1, 2, 4, 4}}, {'^', {2, 5, 0, 0, 0}}, {'(', {1, 2, 2, 2, 1}},
    {')', {4, 2, 2, 2, 4}}, {'[', {3, 2, 2, 2, 3}}, {']', {6, 2, 2, 2, 6}}, {'_', {0, 0, 0, 0, 7}},
    {':', {0, 2, 0, 2, 0}}, {',', {0, 0, 0, 2, 4}}, {'|', {2, 2, 2, 2, 2}}, {'=', {0, 7, 0, 7, 0}},
    {'A', {2, 5, 7, 5, 5}}, {'B', {6, 5, 6, 5, 6}}, {'C', {3, 4, 4, 4, 3}}, {'D', {6, 5, 5, 5, 6}},
    {'E', {7, 4, 6, 4, 7}}, {'F', {7, 4, 6, 4, 4}}, {'G', {3, 4, 5, 5, 3}}, {'H', {5, 5, 7, 5, 5}},
    {'I', {7, 2, 2, 2, 7}}, {'J', {1, 1, 1, 5, 2}}, {'K', {5, 5, 6, 5, 5}}, {'L', {4, 4, 4, 4, 7}},
    {'M', {5, 7, 7, 5, 5}}, {'N', {6, 5, 5, 5, 5}}, {'O', {2, 5, 5, 5, 2}}, {'P', {6, 5, 6, 4, 4}},
    {'Q', {2, 5, 5, 6, 3}}, {'R', {6, 5, 6, 5, 5}}, {'S', {3, 4, 2, 1, 6}}, {'T', {7, 2, 2, 2, 2}},
    {'U', {5, 5, 5, 5, 7}}, {'V', {5, 5, 5, 5, 2}}, {'W', {5, 5, 7, 7, 5}}, {'X', {5, 5, 2, 5, 5}},
    {'Y', {5, 5, 2, 2, 2}}, {'Z', {7, 1, 2, 4, 7}},
}};

}  // namespace

Canvas::Canvas(int width, int height) : image_{width, height, {}} {
  image_.rgb.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3, 246);
}

void Canvas::blend(int x, int y, Vec3f color, float opacity) {
  if (x < 0 || y < 0 || x >= image_.width || y >= image_.height) return;
  std::uint8_t* pixel = image_.rgb.data() + 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image_.width) +
                                                 static_cast<std::size_t>(x));
  for (int c = 0; c < 3; ++c) {
    const float encoded = 255 * linear_to_srgb(std::clamp(color[c], 0.0f, 1.0f));
    pixel[c] = static_cast<std::uint8_t>(static_cast<float>(pixel[c]) * (1 - opacity) + encoded * opacity + 0.5f);
  }
}

void Canvas::line(double x0, double y0, double x1, double y1, Vec3f color, float opacity) {
  // The part inside the picture: ends may lie anywhere.
  double from = 0, to = 1;
  const auto clip = [&](double at, double by, double end) {
    if (!std::isfinite(at) || !std::isfinite(by)) from = 2;
    const double low = (-1 - at) / by, high = (end + 1 - at) / by;
    if (by == 0) {
      if (at < -1 || at > end + 1) from = 2;
      return;
    }
    from = std::max(from, std::min(low, high));
    to = std::min(to, std::max(low, high));
  };
  clip(x0, x1 - x0, image_.width);
  clip(y0, y1 - y0, image_.height);
  if (from > to) return;
  const double length = (to - from) * std::max(std::abs(x1 - x0), std::abs(y1 - y0));
  const int steps = 1 + static_cast<int>(std::ceil(length));
  for (int i = 0; i <= steps; ++i) {
    const double t = from + (to - from) * i / steps;
    blend(static_cast<int>(std::lround(x0 + t * (x1 - x0))), static_cast<int>(std::lround(y0 + t * (y1 - y0))), color,
          opacity);
  }
}

void Canvas::text(int x, int y, std::string_view text, int size, Vec3f color) {
  for (const char letter : text) {
    const char upper = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    const auto found = std::find_if(glyphs.begin(), glyphs.end(), [&](const Glyph& g) { return g.letter == upper; });
    for (int j = 0; found != glyphs.end() && j < 5 * size; ++j)
      for (int i = 0; i < 3 * size; ++i)
        if ((found->rows[static_cast<std::size_t>(j / size)] >> (2 - i / size) & 1) != 0) put(x + i, y + j, color);
    x += 4 * size;
  }
}

void Canvas::scale(int x, int y, int height, double low, double high, int letter, Vec3f ink) {
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < bar_width; ++i)
      put(x + i, y + j, scale_color(static_cast<float>(height - 1 - j) / static_cast<float>(std::max(height - 1, 1))));
  const int ticks = height >= 60 ? 4 : 1;
  for (int tick = 0; tick <= ticks; ++tick)
    text(x + bar_width + 12, y + (height - 5 * letter) * (ticks - tick) / ticks,
         fmt::format("{:.3g}", low + (high - low) * tick / ticks), letter, ink);
}

}  // namespace ymir
