#include "ymir/grooms/guides.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/base/check.h"
#include "ymir/base/error.h"
#include "ymir/grooms/strand_signature.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr std::ptrdiff_t block = 1024;
constexpr double infinity = std::numeric_limits<double>::infinity();

class Selection {
 public:
  Selection(const Curves& groom, std::size_t count) {
    for (std::size_t s = 0; s < groom.strand_count(); ++s)
      if (polyline_length(points_of(groom, s)) > 0) candidates_.push_back(static_cast<std::int64_t>(s));
    count_ = std::min(count, candidates_.size());
    signatures_.resize(candidates_.size());
    for_each_candidate([&](std::size_t c) {
      signatures_[c] = signature_of(points_of(groom, static_cast<std::size_t>(candidates_[c])));
    });
    nearest_.resize(candidates_.size());
    distance2_.resize(candidates_.size());
  }
  std::size_t candidates() const { return candidates_.size(); }

  // Each next guide is the strand farthest from all guides so far; of equal ones the first.
  void spread() {
    guides_ = {middle_strand()};
    std::fill(distance2_.begin(), distance2_.end(), infinity);
    for (;;) {
      const StrandSignature newest = signatures_[guides_.back()];
      for_each_candidate(
          [&](std::size_t c) { distance2_[c] = std::min(distance2_[c], distance2(newest, signatures_[c])); });
      if (guides_.size() == count_) return;
      // Copies of a strand are all at distance 0: take the first that is not a guide yet.
      for (const std::size_t g : guides_) distance2_[g] = -1;
      guides_.push_back(
          static_cast<std::size_t>(std::max_element(distance2_.begin(), distance2_.end()) - distance2_.begin()));
      for (const std::size_t g : guides_) distance2_[g] = 0;
    }
  }

  void assign() {
    for_each_candidate([&](std::size_t c) {
      distance2_[c] = infinity;
      for (std::size_t g = 0; g < guides_.size(); ++g) {
        const double d2 = distance2(signatures_[guides_[g]], signatures_[c]);
        if (d2 < distance2_[c]) distance2_[c] = d2, nearest_[c] = g;
      }
    });
  }

  // Moves each guide to the strand nearest to the mean of its group.
  void recenter() {
    std::vector<StrandSignature> mean(guides_.size());
    std::vector<double> members(guides_.size(), 0);
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      for (std::size_t i = 0; i < signature_points; ++i) mean[nearest_[c]][i] += signatures_[c][i];
      members[nearest_[c]] += 1;
    }
    std::vector<double> best(guides_.size(), infinity);
    for (std::size_t g = 0; g < guides_.size(); ++g)
      for (Vec3d& p : mean[g]) p = p / std::max(members[g], 1.0);
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      const std::size_t g = nearest_[c];
      const double d2 = distance2(mean[g], signatures_[c]);
      if (d2 < best[g]) best[g] = d2, guides_[g] = c;
    }
  }

  GuideSelection result() const {
    GuideSelection selection;
    for (const std::size_t g : guides_) selection.strands.push_back(candidates_[g]);
    std::sort(selection.strands.begin(), selection.strands.end());
    for (const double d2 : distance2_) {
      selection.mean_distance += std::sqrt(d2) / static_cast<double>(distance2_.size());
      selection.max_distance = std::max(selection.max_distance, std::sqrt(d2));
    }
    return selection;
  }

 private:
  template <class F>
  void for_each_candidate(F&& body) {
    parallel_blocks(static_cast<std::ptrdiff_t>(candidates_.size()), block,
                    [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                      for (std::ptrdiff_t c = begin; c < end; ++c) body(static_cast<std::size_t>(c));
                    });
  }
  std::size_t middle_strand() const {
    StrandSignature mean{};
    for (const StrandSignature& s : signatures_)
      for (std::size_t i = 0; i < signature_points; ++i) mean[i] += s[i] / static_cast<double>(signatures_.size());
    std::size_t best = 0;
    for (std::size_t c = 1; c < signatures_.size(); ++c)
      if (distance2(mean, signatures_[c]) < distance2(mean, signatures_[best])) best = c;
    return best;
  }

  std::size_t count_ = 0;
  std::vector<std::int64_t> candidates_;
  std::vector<StrandSignature> signatures_;
  std::vector<std::size_t> guides_;   // indices of candidates
  std::vector<std::size_t> nearest_;  // guide of each candidate
  std::vector<double> distance2_;     // to it
};

// Entries [begin, end) of every channel, appended run by run.
Channels gathered(const Channels& from, const std::vector<std::array<std::int64_t, 2>>& runs) {
  Channels to;
  std::size_t count = 0;
  for (const auto& [begin, end] : runs) count += static_cast<std::size_t>(end - begin);
  to.resize(count);
  for (const auto& [name, array] : from.all()) {
    Array part(array.type(), array.components(), 0);
    for (const auto& [begin, end] : runs) {
      const auto stride = static_cast<std::ptrdiff_t>(array.stride());
      part.bytes().insert(part.bytes().end(), array.bytes().begin() + begin * stride,
                          array.bytes().begin() + end * stride);
    }
    to.set(name, std::move(part));
  }
  return to;
}

}  // namespace

GuideSelection select_guides(const Curves& groom, std::int64_t count, const std::string& name) {
  if (count < 1) throw Error(ExitCode::usage, fmt::format("count {}: give at least 1 guide", count));
  for (std::size_t v = 0; v < groom.positions.size(); ++v)
    if (!is_finite(groom.positions[v]))
      throw Error(ExitCode::bad_input, fmt::format("{}: vertex {} is not finite; repair the groom", name, v));
  Selection selection(groom, static_cast<std::size_t>(count));
  if (selection.candidates() < static_cast<std::size_t>(count))
    throw Error(ExitCode::bad_input, fmt::format("{}: has {} strands with a length, {} guides were asked for; ask for "
                                                 "fewer",
                                                 name, selection.candidates(), count));
  selection.spread();
  for (int pass = 0; pass < 4; ++pass) {
    selection.assign();
    selection.recenter();
  }
  selection.assign();
  return selection.result();
}

Curves strands_of(const Curves& curves, std::span<const std::int64_t> strands) {
  Curves out;
  std::vector<std::array<std::int64_t, 2>> vertices, edges, whole;
  for (const std::int64_t s : strands) {
    YMIR_CHECK(s >= 0 && static_cast<std::size_t>(s) < curves.strand_count());
    const std::int64_t begin = curves.first[static_cast<std::size_t>(s)],
                       end = curves.first[static_cast<std::size_t>(s) + 1];
    vertices.push_back({begin, end});
    edges.push_back({begin - s, end - s - 1});  // every strand before has one edge less than vertices
    whole.push_back({s, s + 1});
    out.positions.insert(out.positions.end(), curves.positions.begin() + begin, curves.positions.begin() + end);
    out.first.push_back(static_cast<std::int64_t>(out.positions.size()));
  }
  out.vertices = gathered(curves.vertices, vertices);
  out.edges = gathered(curves.edges, edges);
  out.strands = gathered(curves.strands, whole);
  return out;
}

}  // namespace ymir
