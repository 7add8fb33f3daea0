#include "ymir/solvers/nodal_contact/compliance_sweeps.h"

#include <algorithm>
#include <cmath>

#include "ymir/solvers/nodal_contact/nodal_contact.h"

namespace ymir {
namespace {

constexpr int lanes = ContactLanes::lanes;

Vec3d at(const ContactLanes::Vector& v, int lane) { return {v.x[lane], v.y[lane], v.z[lane]}; }

// (W + alpha I_T) r = -b as a function of alpha: the normal impulse eliminated, axes turned to those of the matrix that
// is left for the tangential one.
class Sliding {
 public:
  Sliding(const Mat3d& w, Vec3d b) {
    const double inverse = 1 / w(0, 0);
    const double a = w(1, 1) - w(1, 0) * w(1, 0) * inverse, d = w(2, 2) - w(2, 0) * w(2, 0) * inverse;
    const double off = w(2, 1) - w(1, 0) * w(2, 0) * inverse;
    const double mean = 0.5 * (a + d), half = 0.5 * (a - d), radius = std::sqrt(half * half + off * off);
    value_[0] = mean + radius, value_[1] = std::max(0.0, mean - radius);
    cosine_ = radius > 0 ? std::sqrt(0.5 * std::max(0.0, 1 + half / radius)) : 1;
    sine_ = cosine_ > 1e-8 ? (radius > 0 ? 0.5 * off / (radius * cosine_) : 0) : 1;
    const double c1 = b.y - w(1, 0) * b.x * inverse, c2 = b.z - w(2, 0) * b.x * inverse;
    side_[0] = -(cosine_ * c1 + sine_ * c2), side_[1] = -(cosine_ * c2 - sine_ * c1);
    normal_ = -b.x * inverse;
    slope_[0] = -(cosine_ * w(1, 0) + sine_ * w(2, 0)) * inverse;
    slope_[1] = -(cosine_ * w(2, 0) - sine_ * w(1, 0)) * inverse;
  }
  double scale() const { return value_[0] + value_[1]; }
  void set(double alpha) {
    t_[0] = side_[0] / (value_[0] + alpha), t_[1] = side_[1] / (value_[1] + alpha);
    rn_ = normal_ + slope_[0] * t_[0] + slope_[1] * t_[1];
  }
  double normal() const { return rn_; }
  double outside(double mu) const { return std::sqrt(t_[0] * t_[0] + t_[1] * t_[1]) - mu * rn_; }
  Vec3d impulse() const { return {rn_, cosine_ * t_[0] - sine_ * t_[1], sine_ * t_[0] + cosine_ * t_[1]}; }

 private:
  double value_[2], side_[2], slope_[2], normal_, cosine_, sine_;
  double t_[2] = {}, rn_ = 0;
};

Vec3d transposed_product(const Mat3d& a, Vec3d v) {
  return {dot(a.column[0], v), dot(a.column[1], v), dot(a.column[2], v)};
}

// Columns n, t1, t2.
Mat3d frame_of(Vec3d n) {
  const Vec3d axis = std::abs(n.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
  const Vec3d t1 = normalized(cross(n, axis));
  return {n, t1, cross(n, t1)};
}

}  // namespace

Vec3d local_coulomb(const Mat3d& w, Vec3d b, double mu) {
  if (b.x >= 0 || !(w(0, 0) > 0)) return {0, 0, 0};
  if (mu <= 0) return {-b.x / w(0, 0), 0, 0};
  Sliding slide(w, b);
  const auto at_alpha = [&](double alpha) {
    slide.set(alpha);
    return slide.outside(mu);
  };
  constexpr double enough = 1e-12;
  double low = 0, f_low = at_alpha(0);
  if (f_low <= 0) return slide.impulse();  // sticks
  // alpha grows until friction is inside; then the Illinois variant of regula falsi.
  double high = slide.scale(), f_high = at_alpha(high);
  for (int k = 0; k < 60 && f_high > 0; ++k) low = high, f_low = f_high, high *= 8, f_high = at_alpha(high);
  if (!(f_low < 1e300)) low = 1e-9 * high, f_low = at_alpha(low);  // W lets the contact slide freely one way
  for (int k = 0; k < 60; ++k) {
    double alpha = (low * f_high - high * f_low) / (f_high - f_low);
    if (!(alpha > low && alpha < high) || k % 8 == 7) alpha = 0.5 * (low + high);
    const double f = at_alpha(alpha);
    if (std::abs(f) <= enough * mu * slide.normal()) break;
    if (f > 0)
      low = alpha, f_low = f, f_high *= 0.5;
    else
      high = alpha, f_high = f, f_low *= 0.5;
  }
  const Vec3d r = slide.impulse();
  return is_finite(r) ? r : Vec3d{0, 0, 0};
}

void ComplianceSweeps::find_pieces(const NodalContact& p) {
  pieces_.clear();
  piece_of_.assign(static_cast<std::size_t>(p.first_.back()), 0);
  for (std::size_t b = 0; b < p.bodies_.size(); ++b)
    for (int k = 0; k < p.bodies_[b]->pieces(); ++k) {
      const std::int32_t first = p.first_[b] + p.bodies_[b]->first_node(k);
      const std::int32_t nodes = p.bodies_[b]->first_node(k + 1) - p.bodies_[b]->first_node(k);
      std::fill_n(piece_of_.begin() + first, nodes, static_cast<std::int32_t>(pieces_.size()));
      pieces_.push_back({first, nodes});
    }
  for (const ContactLanes::Nodes& n : p.contacts_.node)
    for (const std::int32_t offset : n.at)
      if (offset / 4 < p.first_.back())
        pieces_[static_cast<std::size_t>(piece_of_[static_cast<std::size_t>(offset / 4)])].touched = true;
}

// A unit impulse on node i of every piece of a body at once: pieces do not feel each other.
void ComplianceSweeps::find_columns(const NodalContact& p) {
  std::size_t piece = 0;
  std::vector<NodeVector> none, x;
  for (std::size_t b = 0; b < p.bodies_.size(); ++b) {
    NodalBody& body = *p.bodies_[b];
    const auto count = static_cast<std::size_t>(body.pieces());
    none.assign(static_cast<std::size_t>(body.nodes()), NodeVector::all(0));
    body.solve(none.data());
    std::int32_t longest = 0;
    for (std::size_t k = 0; k < count; ++k)
      if (pieces_[piece + k].touched) longest = std::max(longest, pieces_[piece + k].nodes);
    const std::size_t all = none.size();
    x.assign(3 * static_cast<std::size_t>(longest) * all, NodeVector::all(0));
    const auto column_of = [&](std::int32_t i, int axis) {
      return x.data() + static_cast<std::size_t>(3 * i + axis) * all;
    };
    const auto place = [&](const Piece& q, std::int32_t i) {
      return static_cast<std::size_t>(q.first - p.first_[b] + i);
    };
    for (std::int32_t i = 0; i < longest; ++i)
      for (int axis = 0; axis < 3; ++axis)
        for (std::size_t k = 0; k < count; ++k)
          if (const Piece& q = pieces_[piece + k]; i < q.nodes) column_of(i, axis)[place(q, i)].set(axis, 1);
    body.solve_many(x.data(), 3 * longest);
    for (std::int32_t i = 0; i < longest; ++i)
      for (int axis = 0; axis < 3; ++axis)
        for (std::size_t k = 0; k < count; ++k) {
          const Piece& q = pieces_[piece + k];
          if (!q.touched || i >= q.nodes) continue;
          float* column = c_.data() + q.compliance + static_cast<std::size_t>(3 * i + axis) * 3 * q.nodes;
          for (std::int32_t j = 0; j < q.nodes; ++j)
            for (int h = 0; h < 3; ++h)
              column[3 * j + h] = static_cast<float>(column_of(i, axis)[place(q, j)][h] - none[place(q, j)][h]);
        }
    piece += count;
  }
}

Mat3d ComplianceSweeps::block(const Touch& a, const Touch& b) const {
  Mat3d m;
  if (a.piece != b.piece) return m;
  const Piece& q = pieces_[static_cast<std::size_t>(a.piece)];
  for (int axis = 0; axis < 3; ++axis) {
    const float* column = c_.data() + q.compliance + static_cast<std::size_t>(3 * b.node + axis) * 3 * q.nodes;
    for (int h = 0; h < 3; ++h) m(h, axis) = a.weight * b.weight * column[3 * a.node + h];
  }
  return m;
}

void ComplianceSweeps::find_rows(const NodalContact& p) {
  const ContactLanes& c = p.contacts_;
  rows_.clear(), touches_.clear();
  for (std::int32_t g = 0; g < c.groups(); ++g)
    for (int lane = 0; lane < lanes; ++lane) {
      Row row{{}, touches_.size(), 0};
      for (std::int32_t s = c.first_slot(g); s < c.first_slot(g + 1); ++s) {
        const std::int32_t node = c.node[static_cast<std::size_t>(s)].at[lane] / 4;
        if (node >= p.first_.back()) continue;
        const std::int32_t piece = piece_of_[static_cast<std::size_t>(node)];
        touches_.push_back({piece, node - pieces_[static_cast<std::size_t>(piece)].first,
                            c.weight[static_cast<std::size_t>(s)][lane]});
      }
      row.end = touches_.size();
      for (std::size_t a = row.first; a < row.end; ++a)
        for (std::size_t b = row.first; b < row.end; ++b) row.w += block(touches_[a], touches_[b]);
      rows_.push_back(row);
    }
}

bool ComplianceSweeps::build(const NodalContact& p) {
  find_pieces(p);
  std::size_t entries = 0;
  for (Piece& q : pieces_) {
    if (!q.touched) continue;
    if (q.nodes > most_nodes) return false;
    q.compliance = entries;
    entries += static_cast<std::size_t>(9 * q.nodes) * static_cast<std::size_t>(q.nodes);
  }
  c_.resize(entries);
  find_columns(p);
  find_rows(p);
  return true;
}

// Two nodes of a piece at once, as of an edge: v passes through the processor once for both.
void ComplianceSweeps::push(const Row& row, Vec3d impulse) {
  for (std::size_t t = row.first; t < row.end;) {
    const Touch& one = touches_[t];
    const bool pair = t + 1 < row.end && touches_[t + 1].piece == one.piece;
    const Touch& other = touches_[pair ? t + 1 : t];
    const Piece& q = pieces_[static_cast<std::size_t>(one.piece)];
    const int n = 3 * q.nodes;
    const auto column = [&](const Touch& touch, int axis) {
      return c_.data() + q.compliance + static_cast<std::size_t>(3 * touch.node + axis) * static_cast<std::size_t>(n);
    };
    const float *a0 = column(one, 0), *a1 = column(one, 1), *a2 = column(one, 2);
    const float *b0 = column(other, 0), *b1 = column(other, 1), *b2 = column(other, 2);
    const double second = pair ? other.weight : 0;
    const auto x = static_cast<float>(one.weight * impulse.x), y = static_cast<float>(one.weight * impulse.y),
               z = static_cast<float>(one.weight * impulse.z), p = static_cast<float>(second * impulse.x),
               r = static_cast<float>(second * impulse.y), s = static_cast<float>(second * impulse.z);
    double* v = v_.data() + 3 * static_cast<std::size_t>(q.first);
    for (int i = 0; i < n; ++i)
      v[i] += static_cast<double>(x * a0[i] + y * a1[i] + z * a2[i] + p * b0[i] + r * b1[i] + s * b2[i]);
    t += pair ? 2 : 1;
  }
}

void ComplianceSweeps::run(NodalContact& p, int sweeps) {
  ContactLanes& c = p.contacts_;
  // Single precision of the changes does not add up over many sweeps: each run starts from exact velocities.
  p.exact_velocities();
  v_.resize(3 * static_cast<std::size_t>(p.first_.back()));
  for (std::size_t i = 0; i < v_.size() / 3; ++i)
    for (int k = 0; k < 3; ++k) v_[3 * i + static_cast<std::size_t>(k)] = p.exact_[i][k];
  for (int s = 0; s < sweeps; ++s)
    for (std::size_t place = 0; place < rows_.size(); ++place) {
      const Row& row = rows_[place];
      if (row.first == row.end) continue;
      const std::size_t g = place / lanes;
      const int lane = static_cast<int>(place % lanes);
      Vec3d u = at(c.free[g], lane);
      for (std::size_t t = row.first; t < row.end; ++t) {
        const double* v =
            v_.data() +
            3 * static_cast<std::size_t>(pieces_[static_cast<std::size_t>(touches_[t].piece)].first + touches_[t].node);
        u += Vec3d{v[0], v[1], v[2]} * touches_[t].weight;
      }
      const Vec3d before = at(c.impulse[g], lane);
      const Mat3d frame = frame_of(at(c.normal[g], lane));
      const Vec3d b = transposed_product(frame, u - row.w * before);
      const Vec3d after = frame * local_coulomb(transposed(frame) * row.w * frame, b, c.friction[g][lane]);
      if (after == before) continue;
      for (int k = 0; k < 3; ++k) c.impulse[g][k].set(lane, after[k]);
      push(row, after - before);
    }
}

std::size_t ComplianceSweeps::memory() const {
  const auto bytes = [](const auto& v) { return v.size() * sizeof(v[0]); };
  return bytes(pieces_) + bytes(piece_of_) + bytes(c_) + bytes(v_) + bytes(touches_) + bytes(rows_);
}

}  // namespace ymir
