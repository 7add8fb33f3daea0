#include "ymir/behaviors/constraints/sewing_behavior.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "ymir/actions/sewing.h"
#include "ymir/base/error.h"
#include "ymir/behaviors/scope.h"

namespace ymir {
namespace {

// Pairs of which both vertices are where something else says stay as far apart as that says.
void warn_of_held_pairs(Scope& scope, const MeshObject& cloth, const std::vector<SewnPair>& pairs) {
  std::vector<std::string> owner(cloth.start().size());
  for (const MeshObject::NodeMotion& motion : cloth.motions())
    for (const std::int32_t node : motion.nodes) owner[static_cast<std::size_t>(node)] = motion.owner;
  std::size_t count = 0;
  double widest = 0;
  std::string first;
  for (const auto& [a, b] : pairs) {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    const double gap = norm(cloth.start()[j] - cloth.start()[i]);
    if (cloth.held()[i] == 0 || cloth.held()[j] == 0 || gap <= 1e-3 * cloth.mean_edge()) continue;
    if (count++ == 0) first = owner[i].empty() ? owner[j] : owner[i];
    widest = std::max(widest, gap);
  }
  if (count > 0)
    scope.warn(
        fmt::format("{} of {} pairs of {} cannot close: both vertices are held{}, up to {:.3g} m apart; let go of "
                    "one of them, or hold them in one place",
                    count, pairs.size(), cloth.path(), first.empty() ? "" : " by " + first, widest));
}

// Vertices that pairs draw into one place, one after the other, by their least number.
std::vector<std::int32_t> places_of(std::size_t vertices, const std::vector<SewnPair>& pairs) {
  std::vector<std::int32_t> place(vertices);
  std::iota(place.begin(), place.end(), 0);
  const auto root = [&](std::int32_t v) {
    while (place[static_cast<std::size_t>(v)] != v) v = place[static_cast<std::size_t>(v)];
    return v;
  };
  for (const auto& [a, b] : pairs) {
    const auto [low, high] = std::minmax({root(a), root(b)});
    place[static_cast<std::size_t>(high)] = low;
  }
  for (std::size_t v = 0; v < vertices; ++v) place[v] = root(static_cast<std::int32_t>(v));
  return place;
}

// An edge whose ends are drawn into one place has to vanish, and cloth that cannot be pressed to nothing resists.
void warn_of_vanishing_edges(Scope& scope, const MeshObject& cloth, const std::vector<SewnPair>& pairs) {
  const std::vector<std::int32_t>& cells = cloth.mesh().cells;
  const std::vector<std::int32_t> place = places_of(cloth.start().size(), pairs);
  std::set<SewnPair> edges;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const auto [a, b] = std::minmax(cells[k], cells[k - k % 3 + (k + 1) % 3]);
    if (place[static_cast<std::size_t>(a)] == place[static_cast<std::size_t>(b)]) edges.insert({a, b});
  }
  if (edges.empty()) return;
  const auto [a, b] = *edges.begin();
  const auto together = std::count(place.begin(), place.end(), place[static_cast<std::size_t>(a)]);
  scope.warn(
      fmt::format("draws both ends of {} edge{} of {} into one place, such as vertices {} and {} among {} that become "
                  "one: the cloth there is pressed to nothing, and solves may fail; leave pairs out, or make seams "
                  "give (`seam_stiffness:`)",
                  edges.size(), edges.size() == 1 ? "" : "s", cloth.path(), a, b, together));
}

}  // namespace

Schema<SewingBehavior::Pair> SewingBehavior::Pair::schema() {
  return Schema<Pair>("pair", "Two vertices to be sewn together, as the surface of the cloth counts them, from 0.")
      .param(&Pair::first, "first", "One vertex.")
      .at_least(0)
      .param(&Pair::second, "second", "The other.")
      .at_least(0);
}

Schema<SewingBehavior::Params> SewingBehavior::schema() {
  return Schema<Params>("sewing", "Draws pairs of vertices of a cloth together and keeps them so: seams.")
      .category(Category::constraint)
      .example("examples/sewn_tube.yaml")
      .param(&Params::range, "range", unit::m,
             "Each vertex on a rim is sewn to the nearest one within this distance that lies across a gap: on another "
             "piece, or far from it along the cloth.")
      .positive()
      .only_without({"pairs"})
      .param(&Params::pairs, "pairs", Pair::schema(), "Instead of a range: the pairs, listed.")
      .param(&Params::begin, "begin", unit::s, "When seams begin to close.")
      .at_least(0)
      .param(&Params::close_time, "close_time", unit::s, "How long it takes: gaps shrink evenly.")
      .positive()
      .param(&Params::seam_stiffness, "seam_stiffness", unit::newton_per_m,
             "Of each pair, as a spring; held exactly when absent.")
      .positive();
}

void SewingBehavior::create(Scope& scope) {
  const auto bad = [&](const std::string& what) { return Error(ExitCode::bad_input, scope.path() + what); };
  for (MeshObject* cloth : scope.cloth_objects()) {
    const SolidMesh& mesh = cloth->mesh();
    std::vector<SewnPair> pairs;
    if (!params_.pairs.empty()) {
      if (!mesh.warning.empty())
        throw bad(".pairs: the surface has vertices of no triangle, which are not counted; remove them from the file");
      const auto count = static_cast<std::int64_t>(mesh.positions.size());
      for (const Pair& p : params_.pairs) {
        for (const std::int64_t v : {p.first, p.second})
          if (v >= count)
            throw bad(fmt::format(".pairs: vertex {} of {} does not exist; give 0 to {}", v, cloth->path(), count - 1));
        if (p.first == p.second)
          throw bad(fmt::format(".pairs: vertex {} cannot be sewn to itself; give another", p.first));
        pairs.push_back({static_cast<std::int32_t>(p.first), static_cast<std::int32_t>(p.second)});
      }
    } else if (params_.range) {
      pairs = facing_vertices(mesh, *params_.range);
    } else {
      throw bad(": give `range:`, or `pairs:`, a list");
    }
    if (pairs.empty())
      scope.warn(
          fmt::format("sews nothing of {}: no rim has another within {:g} m across a gap; enlarge `range:`, or name "
                      "the vertices in `pairs:`",
                      cloth->path(), *params_.range));
    else {
      warn_of_vanishing_edges(scope, *cloth, pairs);
      scope.after_all([&scope, cloth, pairs] { warn_of_held_pairs(scope, *cloth, pairs); });
      add_sewing(*cloth, scope.path(), std::move(pairs), {params_.begin, params_.close_time, params_.seam_stiffness});
    }
  }
}

}  // namespace ymir
