#include "ymir/solvers/nodal_contact/contact_sweep.h"

#include <algorithm>
#include <cmath>

#include "ymir/math/lane_transpose.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/contact/cone.h"

namespace ymir {
namespace {

using Real = ContactLanes::Real;
using Vector = ContactLanes::Vector;
constexpr int lanes = ContactLanes::lanes;

// Groups handed to a thread at once where they do not depend on each other.
constexpr std::int32_t block = 128;

template <class F>
void for_each_group(std::int32_t begin, std::int32_t end, F&& body) {
  const auto run = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
    for (auto g = begin + static_cast<std::int32_t>(from); g < begin + static_cast<std::int32_t>(to); ++g) body(g);
  };
  if (end - begin < 2 * block)
    run(0, end - begin);
  else
    parallel_blocks(end - begin, block, run);
}

// Task by task, phase by phase; small phases are not worth waking threads for.
template <class F>
void for_each_in_order(const ContactLanes& c, F&& body) {
  for (int phase = 0; phase < c.phases(); ++phase) {
    const std::int32_t begin = c.first_task(phase), end = c.first_task(phase + 1);
    const auto run = [&](std::ptrdiff_t task) {
      const auto t = begin + static_cast<std::int32_t>(task);
      for (std::int32_t g = c.first_group(t); g < c.first_group(t + 1); ++g) body(g);
    };
    if (c.first_group(end) - c.first_group(begin) < 2 * block)
      for (std::int32_t t = 0; t < end - begin; ++t) run(t);
    else
      parallel_for(end - begin, run);
  }
}

// body(group, number of its slots), the number as a constant where it is that of most contacts.
template <class F>
void with_slots(const ContactLanes& c, std::int32_t group, F&& body) {
  const std::int32_t slots = c.first_slot(group + 1) - c.first_slot(group);
  if (slots == 4)
    body(std::integral_constant<int, 4>{});
  else
    body(slots);
}

// Whole registers at a time: copies of structs go in halves, which the next load of the whole has to wait for.
inline Real fetch(const Real& from) { return {{from.v[0]}}; }
inline Vector fetch(const Vector& from) { return {fetch(from.x), fetch(from.y), fetch(from.z)}; }
inline void put(Real& to, const Real& from) { to.v[0] = from.v[0]; }

// sum N v of four contacts, component by component. Lanes are named, not numbered: arrays of them end up in memory.
template <class Slots>
inline Vector relative_velocity(const double* weight, const std::int32_t* node, Slots slots, const double* v) {
  Real a = Real::all(0), b = a, c = a, d = a;
  for (int k = 0; k < slots; ++k, weight += lanes, node += lanes) {
    a = mul_add(Real::all(weight[0]), Real::load(v + node[0]), a);
    b = mul_add(Real::all(weight[1]), Real::load(v + node[1]), b);
    c = mul_add(Real::all(weight[2]), Real::load(v + node[2]), c);
    d = mul_add(Real::all(weight[3]), Real::load(v + node[3]), d);
  }
  transpose(a, b, c, d);
  return {a, b, c};
}

// to[0..2] += share x, y, z of one lane; to[3] stays.
inline void add_to(double* to, double share, const Real& d) { mul_add(Real::all(share), d, Real::load(to)).store(to); }

inline const double* numbers(const NodeVector* v) { return reinterpret_cast<const double*>(v); }
inline double* numbers(NodeVector* v) { return reinterpret_cast<double*>(v); }

struct View {
  const double* weight;
  const std::int32_t* node;
};
inline View view(const ContactLanes& c, std::int32_t group) {
  const auto slot = static_cast<std::size_t>(c.first_slot(group));
  return {reinterpret_cast<const double*>(c.weight.data() + slot), c.node.data()[slot].at};
}

template <class Slots>
inline void sweep_group(ContactLanes& c, std::int32_t group, Slots slots, double* y) {
  const auto g = static_cast<std::size_t>(group);
  const View s = view(c, group);
  const Vector v = relative_velocity(s.weight, s.node, slots, y), free = fetch(c.free[g]), before = fetch(c.impulse[g]);
  const Real inverse = -fetch(c.inverse_w[g]);
  const Vector held{mul_add(inverse, v.x + free.x, before.x), mul_add(inverse, v.y + free.y, before.y),
                    mul_add(inverse, v.z + free.z, before.z)};
  const Vector after = isotropic_coulomb(held, fetch(c.normal[g]), fetch(c.friction[g]));
  Real a = after.x - before.x, b = after.y - before.y, e = after.z - before.z, d = Real::all(0);
  if (!any(max(max(abs(a), abs(b)), abs(e)) > 0.0)) return;
  put(c.impulse[g].x, after.x), put(c.impulse[g].y, after.y), put(c.impulse[g].z, after.z);
  transpose(a, b, e, d);
  const double* weight = s.weight;
  const std::int32_t* node = s.node;
  for (int k = 0; k < slots; ++k, weight += lanes, node += lanes) {
    double *p = y + node[0], *q = y + node[1], *r = y + node[2], *t = y + node[3];
    add_to(p, weight[0] * p[3], a);
    add_to(q, weight[1] * q[3], b);
    add_to(r, weight[2] * r[3], e);
    add_to(t, weight[3] * t[3], d);
  }
}

}  // namespace

void sweep_contacts(ContactLanes& c, NodeVector* nodes) {
  double* y = numbers(nodes);
  for_each_in_order(c, [&](std::int32_t g) { with_slots(c, g, [&](auto slots) { sweep_group(c, g, slots, y); }); });
}

void add_impulses(const ContactLanes& c, NodeVector* nodes) {
  double* p = numbers(nodes);
  for_each_in_order(c, [&](std::int32_t g) {
    const View s = view(c, g);
    const Vector& r = c.impulse[static_cast<std::size_t>(g)];
    Real x = r.x, y = r.y, z = r.z, w = Real::all(0);
    transpose(x, y, z, w);
    for (int k = 0; k < c.first_slot(g + 1) - c.first_slot(g); ++k) {
      add_to(p + s.node[lanes * k], s.weight[lanes * k], x);
      add_to(p + s.node[lanes * k + 1], s.weight[lanes * k + 1], y);
      add_to(p + s.node[lanes * k + 2], s.weight[lanes * k + 2], z);
      add_to(p + s.node[lanes * k + 3], s.weight[lanes * k + 3], w);
    }
  });
}

void refresh_metric(ContactLanes& c, const NodeVector* nodes) {
  const double* y = numbers(nodes);
  for_each_group(0, c.groups(), [&](std::int32_t g) {
    const View s = view(c, g);
    Real w = Real::all(0);
    for (int k = 0; k < c.first_slot(g + 1) - c.first_slot(g); ++k) {
      const Real n = Real::load(s.weight + lanes * k);
      Real inverse = Real::all(0);
      for (int lane = 0; lane < lanes; ++lane) inverse.set(lane, y[s.node[lanes * k + lane] + 3]);
      w = mul_add(n * n, inverse, w);
    }
    const auto moves = w > 0.0;
    c.inverse_w[static_cast<std::size_t>(g)] = select(moves, 1.0 / select(moves, w, 1.0), 0.0);
  });
}

Real group_error(const ContactLanes& c, std::int32_t group, const NodeVector* nodes) {
  const auto g = static_cast<std::size_t>(group);
  const View s = view(c, group);
  Vector e;
  with_slots(c, group, [&](auto slots) {
    const Vector u = relative_velocity(s.weight, s.node, slots, numbers(nodes)) + c.free[g];
    e = coulomb_residual(c.impulse[g] * c.scale[g], u, c.normal[g], c.friction[g]);
  });
  // Where nothing moves there is nothing to solve.
  return select(c.scale[g] > 0.0, sqrt(dot(e, e)), 0.0);
}

ContactError contact_error(const ContactLanes& c, const NodeVector* nodes) {
  struct Sums {
    Real squared = Real::all(0), largest = Real::all(0), impulse = Real::all(0), speed = Real::all(0),
         closing = Real::all(0), approach = Real::all(0);
  };
  const std::ptrdiff_t blocks = (c.groups() + block - 1) / block;
  const auto map = [&](std::ptrdiff_t b) {
    Sums sums;
    const auto end = std::min<std::ptrdiff_t>(c.groups(), (b + 1) * block);
    for (auto g = static_cast<std::int32_t>(b * block); g < end; ++g) {
      const auto at = static_cast<std::size_t>(g);
      const Real e = group_error(c, g, nodes);
      const View s = view(c, g);
      const Vector u =
          relative_velocity(s.weight, s.node, c.first_slot(g + 1) - c.first_slot(g), numbers(nodes)) + c.free[at];
      const Vector a = c.impulse[at] * c.scale[at];
      sums.squared = mul_add(e, e, sums.squared);
      // A residual that is not a number must not be lost in a maximum.
      sums.largest = select(e <= sums.largest, sums.largest, e);
      sums.impulse = max(sqrt(dot(a, a)), sums.impulse);
      // What is not a number counts too.
      const Real closing = select(dot(u, c.normal[at]) >= 0.0, 0.0, Real::all(1));
      const Real counts = select(c.scale[at] > 0.0, closing, 0.0);
      sums.speed += select(c.scale[at] > 0.0, dot(u, u), 0.0);
      sums.closing += select(counts > 0.0, dot(u, u), 0.0);
      sums.approach += counts;
    }
    return sums;
  };
  const Sums all = ordered_reduce(blocks, Sums{}, map, [](Sums a, const Sums& b) {
    a.squared += b.squared, a.speed += b.speed, a.closing += b.closing, a.approach += b.approach;
    a.largest = select(b.largest <= a.largest, a.largest, b.largest);
    a.impulse = max(b.impulse, a.impulse);
    return a;
  });
  ContactError error;
  for (int lane = 0; lane < lanes; ++lane) {
    error.squared += all.squared[lane], error.speed += all.speed[lane];
    error.closing += all.closing[lane], error.approach += all.approach[lane];
    error.largest = all.largest[lane] <= error.largest ? error.largest : all.largest[lane];
    error.impulse = std::max(error.impulse, all.impulse[lane]);
  }
  return error;
}

}  // namespace ymir
