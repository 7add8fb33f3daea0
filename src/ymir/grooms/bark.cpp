#include "ymir/grooms/bark.h"

#include "ymir/data/triangle_bvh.h"
#include "ymir/grooms/polyline.h"

namespace ymir {
namespace {

constexpr double on_bark = 1e-6;  // depth of a root that counts as outside, by the length of its strand

// The share of the edge from a, inside, to b, outside, at which it goes through the surface.
double leaves_at(const TriangleBvh& bark, Vec3d a, Vec3d b) {
  double in = 0, out = 1;
  for (int halving = 0; halving < 52; ++halving) {
    const double middle = 0.5 * (in + out);
    (bark.signed_distance(a + (b - a) * middle) < 0 ? in : out) = middle;
  }
  return out;
}

}  // namespace

Curves begun_at_bark(const Curves& curves, const Surface& trunks, std::size_t& inside) {
  const TriangleBvh bark(trunks);
  const Array* radii = curves.vertices.find("radius");
  const bool by_vertex = radii != nullptr && radii->holds<double>();
  const Array* whole = curves.strands.find("radius");
  const bool by_strand = whole != nullptr && whole->holds<double>();
  Curves cut;
  std::vector<double> radius, of_strands;
  inside = 0;
  for (std::size_t s = 0; s < curves.strand_count(); ++s) {
    const auto line = points_of(curves, s);
    const auto first = static_cast<std::size_t>(curves.first[s]);
    std::size_t begin = 0;
    double share = 0;
    if (bark.signed_distance(line[0]) < -on_bark * polyline_length(line)) {
      while (begin + 1 < line.size() && bark.signed_distance(line[begin + 1]) < 0) ++begin;
      if (begin + 1 == line.size()) {
        ++inside;
        continue;
      }
      share = leaves_at(bark, line[begin], line[begin + 1]);
      // At the end of the edge: the strand begins with the vertex there.
      if (share == 1) ++begin, share = 0;
      if (begin + 1 == line.size()) {
        ++inside;
        continue;
      }
    }
    cut.positions.push_back(line[begin] + (line[begin + (share > 0 ? 1 : 0)] - line[begin]) * share);
    cut.positions.insert(cut.positions.end(), line.begin() + static_cast<std::ptrdiff_t>(begin) + 1, line.end());
    cut.first.push_back(std::ssize(cut.positions));
    if (by_vertex) {
      const auto r = radii->as<double>().subspan(first, line.size());
      radius.push_back(r[begin] + (share > 0 ? (r[begin + 1] - r[begin]) * share : 0));
      radius.insert(radius.end(), r.begin() + static_cast<std::ptrdiff_t>(begin) + 1, r.end());
    }
    if (by_strand) of_strands.push_back(whole->as<double>()[s]);
  }
  cut.vertices.resize(cut.positions.size());
  cut.edges.resize(cut.edge_count());
  cut.strands.resize(cut.strand_count());
  if (by_vertex) cut.vertices.set("radius", Array::of(radius));
  if (by_strand) cut.strands.set("radius", Array::of(of_strands));
  return cut;
}

}  // namespace ymir
