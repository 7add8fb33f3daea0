// Hairstyles: what a user asks for, and the defaults of each style.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ymir {

enum class Hairstyle { straight, wavy, curly, afro, bob, ponytail, long_hair };

inline constexpr std::array<std::string_view, 7> hairstyle_names{"straight", "wavy",     "curly", "afro",
                                                                 "bob",      "ponytail", "long"};
// Throws Error(usage), listing the styles, for any other name.
Hairstyle hairstyle_of(std::string_view name);

struct GroomParams {
  Hairstyle style = Hairstyle::straight;
  std::int64_t strands = 10000;
  std::int64_t vertices = 32;  // per strand, at least 2
  double length = 0.25;        // of the longest strand, measured along it [m]
  double curl_radius = 0;      // of the coil or wave [m]; 0: none
  double curl_pitch = 0.03;    // distance along the combed hair of one turn or wave [m]
  double noise = 0.2;          // 0: every hair lies as it was combed, 1: unruly
  double radius = 4e-5;        // of a hair [m]
  std::uint64_t seed = 1;
  friend bool operator==(const GroomParams&, const GroomParams&) = default;
};
GroomParams default_params(Hairstyle style);
// Throws Error(usage) naming the parameter that is out of range.
void require_valid(const GroomParams& params);
// Vertices that a curl needs to be drawn with 10 of them per turn; 2 without curl.
std::int64_t vertices_for_curl(const GroomParams& params);

// Measures of a style that are not for the user: how it is combed. Lengths in units of the scalp's half width.
struct StyleTraits {
  double parting = 0;    // hair falls to both sides of a line here across the head, -1 to 1
  double lift = 0.3;     // direction of the root: 0 along the skin, 1 straight out
  double volume = 0.12;  // thickness of the hair on the skin
  double bend = 0.25;    // length over which a hair turns to where it is combed
  double length_variation = 0.15;
  double clumping = 0.5;  // share of the way to the middle of its lock that a tip is drawn
  std::int64_t locks = 350;
  double coherence = 0.8;  // share of a curl's phase that a lock has in common
  bool planar = false;     // waves instead of coils
  bool radial = false;     // stands off the head
  bool tied = false;       // gathered in a ring at the back of the head
  bool chin_cut = false;   // cut on a level just below the scalp, the ends turned in
  double hem = -1;         // cut where hair from the crown ends, give or take this; below 0: not cut
};
const StyleTraits& traits_of(Hairstyle style);

}  // namespace ymir
