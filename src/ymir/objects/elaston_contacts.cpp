#include "ymir/objects/elaston_contacts.h"

#include "ymir/objects/elaston_block.h"
#include "ymir/solvers/nodal_contact/nodal_metric.h"

namespace ymir {
namespace {

// Plants with more unknowns answer slowly, and with all threads.
constexpr std::size_t many_rows = 4096;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

void make_metric(ElastonPiece& piece) {
  ElastonMetric& m = piece.metric.emplace();
  const ElastonBoundary& boundary = *piece.boundary;
  m.matrix = piece.elements.pattern(boundary.slots());
  const BlockMatrix& own = piece.matrix;
  for (std::int32_t j = 0; j < own.nodes(); ++j)
    for (std::int32_t e = own.starts()[at(j)]; e < own.starts()[at(j) + 1]; ++e)
      m.places.push_back(m.matrix.slot(own.rows()[at(e)], j));
  for (std::int32_t p = 0; p < boundary.points(); ++p)
    for (const ElastonBoundary::Share& s : boundary.shares(p))
      for (const ElastonBoundary::Share& t : boundary.shares(p))
        if (s.slot >= t.slot) m.pairs.push_back(m.matrix.slot(s.slot, t.slot));
}

}  // namespace

ElastonContacts::ElastonContacts(ElastonBlock& block)
    : block_(&block),
      boundary_(&*block.piece_->boundary),
      heavy_((block.piece_->metric ? void() : make_metric(*block.piece_), block.piece_->metric->matrix)) {
  // The mass of elastons around a node is handed out to the points there.
  const ElastonPiece& piece = *block.piece_;
  const ElastonCloud& cloud = block.object_->cloud();
  std::vector<double> mass(piece.nodes, 0), count(piece.nodes, 0);
  const auto own = [&](std::int32_t node) { return at(node) - piece.first_node; };
  for (std::size_t e = piece.first_elaston; e < piece.first_elaston + piece.elastons; ++e)
    mass[own(cloud.elastons[e].node)] += block.object_->mass()[e];
  const auto parts = std::span(cloud.parts).subspan(piece.first_part, piece.parts);
  for (const ElastonCloud::Part& part : parts)
    for (const std::int32_t node : part.nodes) ++count[own(node)];
  for (const ElastonCloud::Part& part : parts)
    for (const std::int32_t node : part.nodes) mass_.push_back(mass[own(node)] / count[own(node)]);
}

void ElastonContacts::follow(int place, std::span<const std::int32_t> vertices, std::span<const double> weights, Vec3d,
                             std::vector<NodeShare>& shares) const {
  const std::int32_t first = boundary_->first_point(static_cast<std::size_t>(place));
  for (std::size_t k = 0; k < vertices.size(); ++k) shares.push_back({first + vertices[k], weights[k]});
}

Vec3d ElastonContacts::way(std::int32_t point) const {
  const ElastonPiece& piece = *block_->piece_;
  Vec3d way{0, 0, 0};
  for (const auto& [slot, weight] : boundary_->shares(point))
    way += (piece.position[at(slot)] - piece.begin[at(slot)]) * weight;
  return way;
}

void ElastonContacts::push(std::span<const NodeVector> impulses, double per_dt) {
  for (std::int32_t p = 0; p < nodes(); ++p) {
    const NodeVector& g = impulses[at(p)];
    const Vec3d force = Vec3d{g[0], g[1], g[2]} * per_dt;
    if (force == Vec3d{0, 0, 0}) continue;
    for (const auto& [slot, weight] : boundary_->shares(p)) block_->piece_->residual[at(slot)] -= force * weight;
  }
}

void ElastonContacts::columns(std::int32_t point, double weight, std::vector<NodeColumn>& to) const {
  for (const auto& [slot, share] : boundary_->shares(point))
    for (int k = 0; k < 3; ++k) {
      Vec3d way{0, 0, 0};
      way[k] = weight * share;
      to.push_back({3 * slot + k, way});
    }
}

bool ElastonContacts::refresh(double dt) {
  dt_ = dt;
  f_.resize(block_->size());
  block_->right_side(f_.data());
  for (double& value : f_) value *= dt;
  return true;
}

void ElastonContacts::describe(std::span<NodeMetric> nodes) const {
  for (std::size_t p = 0; p < mass_.size(); ++p) nodes[p] = metric_of_vertex(mass_[p]);
}

bool ElastonContacts::threaded() const { return block_->size() > many_rows; }

void ElastonContacts::add_masses(std::span<const double> d) {
  ElastonMetric& m = *block_->piece_->metric;
  m.matrix.clear();
  for (std::size_t e = 0; e < m.places.size(); ++e) {
    const double* from = block_->piece_->matrix.block(static_cast<std::int32_t>(e));
    double* to = m.matrix.block(m.places[e]);
    for (int k = 0; k < 9; ++k) to[k] += from[k];
  }
  const double per_dt2 = 1 / (dt_ * dt_);
  std::size_t pair = 0;
  for (std::int32_t p = 0; p < nodes(); ++p) {
    const double added = d[at(p)] * per_dt2;
    for (const auto& [s, at_s] : boundary_->shares(p))
      for (const auto& [t, at_t] : boundary_->shares(p)) {
        if (s < t) continue;
        double* block = m.matrix.block(m.pairs[pair++]);
        for (int k = 0; k < 3; ++k) block[4 * k] += added * at_s * at_t;
      }
  }
}

bool ElastonContacts::factor(std::span<const double> d) {
  ElastonMetric& m = *block_->piece_->metric;
  add_masses(d);
  if (!m.analysed) m.factor.analyze(m.matrix);
  m.analysed = true;
  return m.factor.factor(m.matrix);
}

MatrixPart& ElastonContacts::with_masses(std::span<const double> d, double dt) {
  dt_ = dt;
  add_masses(d);
  return heavy_;
}

void ElastonContacts::spread(std::span<const NodeVector> impulses, double times, double* rows) const {
  for (std::int32_t p = 0; p < nodes(); ++p)
    for (const auto& [slot, weight] : boundary_->shares(p))
      for (int k = 0; k < 3; ++k) rows[3 * slot + k] += impulses[at(p)][k] * weight * times;
}

void ElastonContacts::collect(const double* rows, double times, std::span<NodeVector> x) const {
  for (std::int32_t p = 0; p < nodes(); ++p) {
    Vec3d sum{0, 0, 0};
    for (const auto& [slot, weight] : boundary_->shares(p))
      for (int k = 0; k < 3; ++k) sum[k] += rows[3 * slot + k] * weight;
    for (int k = 0; k < 3; ++k) x[at(p)].set(k, sum[k] * times);
  }
}

void ElastonContacts::load(const NodeVector* impulses) {
  b_ = f_;
  spread({impulses, mass_.size()}, 1, b_.data());
}

// A z = f + N'g with the factor of the block; v = z/dt^2.
void ElastonContacts::solve(NodeVector* x) {
  load(x);
  block_->solve(b_.data(), b_.data());
  collect(b_.data(), 1 / (dt_ * dt_), {x, mass_.size()});
}

void ElastonContacts::solve_metric(NodeVector* x) {
  load(x);
  block_->piece_->metric->factor.solve(b_.data(), b_.data());
  collect(b_.data(), 1 / (dt_ * dt_), {x, mass_.size()});
}

}  // namespace ymir
