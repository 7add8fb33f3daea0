// Constraint Set: a kernel made into an energy on an Object, with everything a Constraint owes. [Lesser2022, 6.3]
//
//   E = sum_l C_l' S_l C_l,  W = 2 S  (a full S is absorbed in C by its Cholesky factor)
//
// The kernel gives C, dC and d2C; the set adds rest values and weights per element, the way the energy enters the
// system, and damping. There are three ways:
//
// stiffness: A += J'WJ + beta sum y d2C, for soft constraints. primal_dual: the force lambda is an unknown, condensed,
// A += J'WJ + max(lambda, 0) d2C, with full Newton steps; for stiff scalar constraints, as d2C never sees the large
// forces of a bad iterate [Tournier2015]. hard: lambda is an unknown of the system and C = 0 holds exactly; W then only
// augments: W J'J in the matrix and W J'C on the right change no solution but keep the pivots of positions positive.
#pragma once

#include <memory>
#include <utility>

#include "ymir/actions/scatter_table.h"
#include "ymir/objects/strand_step.h"
#include "ymir/physics/constraints/kernel.h"
#include "ymir/physics/constraints/response.h"

namespace ymir {

enum class ConstraintMode : std::uint8_t { stiffness, primal_dual, hard };

// Channels of a set in the Strand System of its object, one entry per element.
struct ConstraintChannels {
  int rest = -1;        // rows channels: p
  int weight = -1;      // rows channels: W = 2 S; 0 where there is no element
  int force = -1;       // 1 channel: lambda (primal_dual, hard)
  int friction = -1;    // rows channels: zeta (Dahl)
  int measure = -1;     // 1 channel: scales Dahl's saturation and length (a length for curvatures)
  int relaxation = -1;  // 1 channel: Rayleigh's tau of each element [s], instead of one for all
  int saturation = -1;  // 1 channel: Dahl's cm per measure, the same
  int length = -1;      // 1 channel: Dahl's dc per measure, the same
};

struct Damping {
  double relaxation_time = 0;  // Rayleigh's tau [s]
  double dahl_saturation = 0;  // cm per measure; 0: no internal friction
  double dahl_length = 0;      // dc per measure
};

template <ConstraintKernel K>
class ConstraintSet final : public StrandConstraint {
 public:
  static constexpr int vertices_before = K::dofs == 11 ? 1 : 0;  // of element i, before vertex i

  ConstraintSet(std::string owner, std::string what, StrandSystem& strands, const ConstraintChannels& channels,
                ConstraintMode mode, const Damping& damping)
      : owner_(std::move(owner)),
        what_(std::move(what)),
        strands_(&strands),
        channels_(channels),
        mode_(mode),
        damping_(damping) {}

  std::string owner() const override { return owner_; }
  std::string what() const override { return what_; }
  bool needs_multipliers() const override { return mode_ == ConstraintMode::hard; }
  int work_planes() const override { return damped() ? K::rows : 0; }

  void begin(StrandStep& s, StrandReal* work) override {
    if (!damped()) return;
    for (int i = first(); i < last(s); ++i) {
      T c[K::rows];
      K::value(gather(s, i), c);
      for (int a = 0; a < K::rows; ++a) work[a * s.vertices + i] = c[a];
    }
  }

  void assemble(StrandStep& s, StrandReal* work) override {
    if (s.multipliers)
      assemble_as<MultiplierLayout>(s, work);
    else
      assemble_as<PlainLayout>(s, work);
  }

  void advance(StrandStep& s, const StrandReal& fraction, StrandReal* work) override {
    if (mode_ == ConstraintMode::stiffness) return;
    T* force = strands_->plane(s.group, channels_.force);
    const T* weight = strands_->plane(s.group, channels_.weight);
    for (int i = first(); i < last(s); ++i) {
      if (mode_ == ConstraintMode::hard) {
        force[i] = mul_add(s.step[MultiplierLayout::multiplier(i)], fraction, force[i]);
        continue;
      }
      const auto g = gather(s, i);
      T c[K::rows], j[K::rows][K::coordinates];
      K::value(g, c);
      K::gradient(g, j);
      T along = T::all(0);
      for (int k = 0; k < K::coordinates; ++k) along = mul_add(j[0][k], coordinate_of(s, s.step, i, k), along);
      const T next = weight[i] * (strained(s, work, i, 0, c[0]) + along * (tau_per_dt(s, i) + 1.0));
      force[i] += (next - force[i]) * fraction;
    }
  }

  void end(StrandStep& s, StrandReal* work) override {
    if (channels_.friction < 0) return;
    const T* measure = strands_->plane(s.group, channels_.measure);
    for (int i = first(); i < last(s); ++i) {
      T c[K::rows];
      K::value(gather(s, i), c);
      const T most = measure[i] * saturation(s, i);
      const T over = measure[i] * length(s, i);
      for (int a = 0; a < K::rows; ++a) {
        T* zeta = strands_->plane(s.group, channels_.friction + a);
        const T next = dahl_friction(c[a], work[a * s.vertices + i], zeta[i], most, over);
        zeta[i] = select(s.active > 0.0, select(measure[i] > 0.0, next, 0.0), zeta[i]);
      }
    }
  }

  int parameters() const override { return K::rows; }

  void strain_of(const StrandStep& s, const StrandReal* displacement, StrandReal* jz) const override {
    each_gradient(s, [&](int i, const T(*j)[K::coordinates]) {
      for (int a = 0; a < K::rows; ++a) {
        T sum = T::all(0);
        for (int k = 0; k < K::coordinates; ++k) sum = mul_add(j[a][k], coordinate_of(s, displacement, i, k), sum);
        jz[a * s.vertices + i] = sum;
      }
    });
  }

  // W J z, and the multiplier of the row where it is held exactly.
  void rest_gradient(const StrandStep& s, const StrandReal* z, StrandReal* to) const override {
    strain_of(s, z, to);
    for (int a = 0; a < K::rows; ++a)
      for (int i = first(); i < last(s); ++i) {
        const T weight = strands_->plane(s.group, channels_.weight + a)[i];
        T& value = to[a * s.vertices + i];
        value *= weight;
        if (mode_ == ConstraintMode::hard) value += select(weight > 0.0, z[MultiplierLayout::multiplier(i)], 0.0);
      }
  }

  void add_rest_force(StrandStep& s, const StrandReal* dp, StrandReal* to) const override {
    each_gradient(s, [&](int i, const T(*j)[K::coordinates]) {
      T y[K::rows];
      for (int a = 0; a < K::rows; ++a)
        y[a] = strands_->plane(s.group, channels_.weight + a)[i] * dp[a * s.vertices + i];
      if (s.multipliers)
        add_gradient<MultiplierLayout>(to, i, j, y);
      else
        add_gradient<PlainLayout>(to, i, j, y);
      if (mode_ == ConstraintMode::hard) {
        const auto exists = strands_->plane(s.group, channels_.weight)[i] > 0.0;
        to[MultiplierLayout::multiplier(i)] += select(exists, dp[i], 0.0);
      }
    });
  }

  void shift_rest(StrandStep& s, const StrandReal* change) override {
    for (int a = 0; a < K::rows; ++a) {
      T* rest = strands_->plane(s.group, channels_.rest + a);
      const T* weight = strands_->plane(s.group, channels_.weight + a);
      for (int i = first(); i < last(s); ++i) {
        const T grown = select((s.active > 0.0) & (weight[i] > 0.0), change[a * s.vertices + i], 0.0);
        // A hard constraint has no strain: its multiplier takes the force.
        if (mode_ != ConstraintMode::hard) rest[i] -= grown;
        if (mode_ != ConstraintMode::stiffness) strands_->plane(s.group, channels_.force)[i] += weight[i] * grown;
      }
    }
  }

  void stiffen(StrandStep& s, const StrandReal& factor) override {
    if (mode_ != ConstraintMode::stiffness) return;
    for (int i = first(); i < last(s); ++i) {
      T c[K::rows];
      K::value(gather(s, i), c);
      for (int a = 0; a < K::rows; ++a) {
        T* rest = strands_->plane(s.group, channels_.rest + a);
        rest[i] = c[a] - (c[a] - rest[i]) / factor;
        strands_->plane(s.group, channels_.weight + a)[i] *= factor;
      }
    }
  }

 private:
  using T = StrandReal;
  struct RodView {
    const StrandStep* s;
    RodEdge<T> edge(int i) const { return s->edge(i); }
    T twist(int i) const { return s->twist[i]; }
  };
  static auto gather(const StrandStep& s, int i) { return K::gather(RodView{&s}, i); }

  bool relaxes() const { return damping_.relaxation_time > 0 || channels_.relaxation >= 0; }
  bool damped() const { return relaxes() || channels_.friction >= 0; }
  static int first() { return 1; }
  static int last(const StrandStep& s) { return s.vertices - 1; }
  T tau_per_dt(const StrandStep& s, int i) const {
    return channels_.relaxation >= 0 ? strands_->plane(s.group, channels_.relaxation)[i] / T::all(s.dt)
                                     : T::all(damping_.relaxation_time / s.dt);
  }
  // Dahl's constants per measure. Where there is no element its channel holds 0, by which nothing may be divided.
  T saturation(const StrandStep& s, int i) const {
    return channels_.saturation >= 0 ? strands_->plane(s.group, channels_.saturation)[i]
                                     : T::all(damping_.dahl_saturation);
  }
  T length(const StrandStep& s, int i) const {
    if (channels_.length < 0) return T::all(damping_.dahl_length);
    const T given = strands_->plane(s.group, channels_.length)[i];
    return select(given > 0.0, given, 1.0);
  }
  // C + (tau/dt)(C - C_n) of a scalar constraint.
  T strained(const StrandStep& s, const StrandReal* work, int i, int a, const T& value) const {
    const T c = value - strands_->plane(s.group, channels_.rest + a)[i];
    return relaxes() ? c + (value - work[a * s.vertices + i]) * tau_per_dt(s, i) : c;
  }
  template <class F>
  static void each_gradient(const StrandStep& s, F&& f) {
    for (int i = first(); i < last(s); ++i) {
      T j[K::rows][K::coordinates];
      K::gradient(gather(s, i), j);
      f(i, j);
    }
  }
  static T coordinate_of(const StrandStep& s, const StrandReal* displacement, int i, int k) {
    const Difference d = K::chain[static_cast<std::size_t>(k)];
    const auto at = [&](int local) {
      return displacement[s.multipliers ? MultiplierLayout::row(i - vertices_before, local)
                                        : PlainLayout::row(i - vertices_before, local)];
    };
    return d.minus < 0 ? at(d.plus) : at(d.plus) - at(d.minus);
  }

  template <class Layout>
  void assemble_as(StrandStep& s, StrandReal* work) {
    const T *rest[K::rows], *weight[K::rows], *zeta[K::rows] = {};
    for (int a = 0; a < K::rows; ++a) {
      rest[a] = strands_->plane(s.group, channels_.rest + a);
      weight[a] = strands_->plane(s.group, channels_.weight + a);
      if (channels_.friction >= 0) zeta[a] = strands_->plane(s.group, channels_.friction + a);
    }
    const T* force = channels_.force >= 0 ? strands_->plane(s.group, channels_.force) : nullptr;
    const T* measure = channels_.measure >= 0 ? strands_->plane(s.group, channels_.measure) : nullptr;
    for (int i = first(); i < last(s); ++i) {
      const T tau = tau_per_dt(s, i);
      const auto g = gather(s, i);
      T c[K::rows], j[K::rows][K::coordinates], y[K::rows], w[K::rows];
      T h[packed_size(K::coordinates)];
      K::value(g, c);
      K::gradient(g, j);
      for (int a = 0; a < K::rows; ++a) {
        Response<T> r = elastic_response(c[a] - rest[a][i], weight[a][i]);
        if (relaxes()) add_rayleigh(r, c[a], work[a * s.vertices + i], weight[a][i], tau);
        if (zeta[a] != nullptr)
          add_dahl(r, c[a], work[a * s.vertices + i], zeta[a][i], weight[a][i],
                   max(measure[i], T::all(1e-300)) * saturation(s, i), max(measure[i], T::all(1e-300)) * length(s, i));
        y[a] = r.force;
        w[a] = r.stiffness;
      }
      if (mode_ == ConstraintMode::hard) {
        couple_multiplier(s, i, j[0], c[0] - rest[0][i], weight[0][i]);
        y[0] = weight[0][i] * (c[0] - rest[0][i]);
      }
      gauss_newton(j, w, h);
      if (mode_ == ConstraintMode::stiffness) {
        add_scale<Layout>(s, i, h);
        add_gradient<Layout>(s.residual, i, j, y);
        for (int a = 0; a < K::rows; ++a) y[a] *= s.beta;
      } else {
        T tension[K::rows] = {force[i]};
        add_gradient<Layout>(s.residual, i, j, tension);
        tension[0] = mode_ == ConstraintMode::hard ? y[0] : y[0] - force[i];
        add_gradient<Layout>(s.condensed, i, j, tension);
        if (mode_ == ConstraintMode::primal_dual) {
          const auto exists = weight[0][i] > 0.0;
          const T gap = abs(strained(s, work, i, 0, c[0]) - force[i] / select(exists, weight[0][i], 1.0));
          s.violation = max(select(exists, gap, 0.0), s.violation);
        }
        y[0] = s.curving(force[i]);
      }
      if (s.curvature != StrandStep::Curvature::none) K::add_curvature(g, y, h);
      scatter<Layout>(s.matrix, i, h, std::make_index_sequence<ScatterTable<K>::size>{});
    }
  }

  // Row and column of the multiplier of element i: J dq = -C.
  void couple_multiplier(StrandStep& s, int i, const T* j, const T& strain, const T& weight) const {
    constexpr int column = MultiplierLayout::half_bandwidth + 1;
    const int m = MultiplierLayout::multiplier(i);
    const auto exists = weight > 0.0;  // otherwise there is no element here, and the row is one of its own
    const T gap = select(exists, strain, 0.0);
    s.matrix[m * column] = select(exists, T::all(0), -1.0);
    s.residual[m] = gap;
    s.violation = max(abs(gap), s.violation);
    for (int k = 0; k < K::coordinates; ++k) {
      const Difference d = K::chain[static_cast<std::size_t>(k)];
      const T entry = select(exists, j[k], 0.0);
      const int plus = MultiplierLayout::row(i - vertices_before, d.plus);
      s.matrix[plus * column + m - plus] += entry;
      if (d.minus < 0) continue;
      const int minus = MultiplierLayout::row(i - vertices_before, d.minus);
      s.matrix[minus * column + m - minus] -= entry;
    }
  }

  static void gauss_newton(const T (*j)[K::coordinates], const T* w, T* h) {
    for (int a = 0; a < K::coordinates; ++a) {
      T wj[K::rows];
      for (int r = 0; r < K::rows; ++r) wj[r] = w[r] * j[r][a];
      for (int b = 0; b <= a; ++b) {
        T sum = wj[0] * j[0][b];
        for (int r = 1; r < K::rows; ++r) sum = mul_add(wj[r], j[r][b], sum);
        h[packed(a, b)] = sum;
      }
    }
  }

  template <class Layout>
  static void add_gradient(T* to, int i, const T (*j)[K::coordinates], const T* y) {
    for (int k = 0; k < K::coordinates; ++k) {
      T sum = y[0] * j[0][k];
      for (int r = 1; r < K::rows; ++r) sum = mul_add(y[r], j[r][k], sum);
      const Difference d = K::chain[static_cast<std::size_t>(k)];
      to[Layout::row(i - vertices_before, d.plus)] += sum;
      if (d.minus >= 0) to[Layout::row(i - vertices_before, d.minus)] -= sum;
    }
  }

  template <class Layout>
  static void add_scale(StrandStep& s, int i, const T* h) {
    unrolled(
        [&](auto e) {
          constexpr ScatterEntry entry = ScatterTable<K>::entries[decltype(e)::value];
          if constexpr (entry.row == entry.column)
            s.scale[Layout::row(i - vertices_before, entry.row)] += h[entry.from] * entry.sign;
        },
        std::make_index_sequence<ScatterTable<K>::size>{});
  }

  template <class Layout, std::size_t... E>
  static void scatter(T* matrix, int i, const T* h, std::index_sequence<E...> all) {
    constexpr int column = Layout::half_bandwidth + 1;
    const int base = Layout::row(i - vertices_before, 0);
    T* at = matrix + static_cast<std::ptrdiff_t>(base) * column;
    unrolled(
        [&](auto e) {
          constexpr ScatterEntry entry = ScatterTable<K>::entries[decltype(e)::value];
          constexpr int r = Layout::row(0, entry.row), c = Layout::row(0, entry.column);
          constexpr std::ptrdiff_t offset = c * column + (r - c);
          if constexpr (entry.sign == 1)
            at[offset] += h[entry.from];
          else if constexpr (entry.sign == -1)
            at[offset] -= h[entry.from];
          else
            at[offset] += h[entry.from] * entry.sign;
        },
        all);
  }

  template <class F, std::size_t... E>
  static void unrolled(F&& f, std::index_sequence<E...>) {
    (f(std::integral_constant<std::size_t, E>{}), ...);
  }

  std::string owner_, what_;
  StrandSystem* strands_;
  ConstraintChannels channels_;
  ConstraintMode mode_;
  Damping damping_;
};

}  // namespace ymir
