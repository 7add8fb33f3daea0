// Complete solver of one contact: the cases of Coulomb's law one after the other [Daviet2011, B.2], for W of any rank.
// Sticking takes all solutions of W r = -b into account, not only one; sliding is that of sliding_contact.h.
#pragma once

#include <limits>

#include "ymir/math/svd3.h"
#include "ymir/physics/contact/local_newton.h"
#include "ymir/physics/contact/sliding_contact.h"

namespace ymir {

namespace detail {

// The best of the candidates offered.
struct BestContact {
  const LocalContact* contact;
  double tolerance;
  Vec3d r{};
  double error = std::numeric_limits<double>::infinity();

  // Of impulses beyond `most` the velocity is rounding, which may well look like a solution.
  YMIR_HD bool offer(Vec3d candidate) {
    constexpr double most = 1e9;  // times |b| over w
    if (!(norm(candidate) * mean_inverse_mass(contact->w) <= most * norm(contact->b))) return false;
    const double e = local_residual(*contact, candidate);
    if (e < error) {
      error = e;
      r = candidate;
    }
    return solved();
  }
  YMIR_HD bool solved() const { return error <= allowed_residual(*contact, r, tolerance); }
};

// r0 + s n in K_mu, |s| as small as possible: boundary points of the line and the middle between them.
YMIR_HD inline bool stick_on_line(BestContact& best, Vec3d r0, Vec3d n, double mu) {
  const double k = mu * mu;
  const double a = n.y * n.y + n.z * n.z - k * n.x * n.x;
  const double b = r0.y * n.y + r0.z * n.z - k * r0.x * n.x;
  const double c = r0.y * r0.y + r0.z * r0.z - k * r0.x * r0.x;
  const double disc = b * b - a * c;
  if (std::fabs(a) > 0 && best.offer(r0 - n * (b / a))) return true;
  if (!(disc >= 0)) return false;
  const double q = -(b + (b < 0 ? -std::sqrt(disc) : std::sqrt(disc)));
  double s1 = q != 0 ? c / q : 0, s2 = a != 0 ? q / a : s1;
  if (std::fabs(s1) > std::fabs(s2)) std::swap(s1, s2);
  return best.offer(r0 + n * s1) || best.offer(r0 + n * s2);
}

// All r with W r = -b, where W has a null space (or one of rounding).
YMIR_HD inline bool stick_where_singular(BestContact& best) {
  const LocalContact& c = *best.contact;
  constexpr double null = 1e-9;
  const Svd3<double> d = svd3(c.w);
  const double size = d.s.x;
  const Vec3d target = transposed(d.u) * -c.b;
  if (d.s.y > null * size) {
    if (std::fabs(d.s.z) > 1e-6 * size) return false;  // regular
    return stick_on_line(best, d.v.column[0] * (target.x / d.s.x) + d.v.column[1] * (target.y / d.s.y), d.v.column[2],
                         c.mu);
  }
  // One direction d of velocity: r along the axis of the cone, or where d.r is largest on its boundary.
  const Vec3d v = d.v.column[0];
  const double t = tangential_norm(v), want = target.x / d.s.x;
  if (best.offer(v * want) || (v.x != 0 && best.offer({want / v.x, 0, 0}))) return true;
  for (const double sign : {1.0, -1.0}) {
    const double reach = v.x + sign * c.mu * t;
    if (t > 0 && want * reach > 0) {
      const double n = want / reach;
      if (best.offer({n, sign * c.mu * n * v.y / t, sign * c.mu * n * v.z / t})) return true;
    }
  }
  return false;
}

}  // namespace detail

// r with obeys_coulomb() wherever there is one; else what comes nearest, and `solved` false.
YMIR_HD inline LocalResult enumerative_contact(const LocalContact& given, double tolerance) {
  if (given.b.x >= 0) return {{}, true};
  const double mass = 1 / mean_inverse_mass(given.w), speed = norm(given.b);
  if (!(mass > 0) || !std::isfinite(mass * speed)) return {{}, false};
  // W of mean diagonal 1, |b| = 1: no unit, no overflow.
  const LocalContact c{given.w * mass, given.b / speed, given.mu};
  const double back = mass * speed;
  detail::BestContact best{&c, tolerance};
  best.offer({});
  const auto result = [&] { return LocalResult{best.r * back, best.solved()}; };
  if (!(c.mu > 0)) {
    if (c.w(0, 0) > 1e-14) best.offer({-c.b.x / c.w(0, 0), 0, 0});
    return result();
  }
  Vec3d stick, correction;
  if (detail::solve3(c.w, -c.b, stick)) {
    if (best.offer(stick)) return result();
    // Cofactors lose digits where W is nearly singular; one correction brings them back.
    if (detail::solve3(c.w, -(c.w * stick + c.b), correction) && best.offer(stick + correction)) return result();
  }
  const SlidingBlock block = sliding_block(c.w);
  Vec3d slide;
  if (block.definite && slide_by_slip(block, c.b, c.mu, 0, slide) && best.offer(slide)) return result();
  if (detail::stick_where_singular(best)) return result();
  const SlipDirections directions = slip_directions(c);
  for (int i = 0; i < directions.count; ++i)
    if (best.offer(directions.r[static_cast<std::size_t>(i)])) return result();
  best.offer(mfb_newton(c, best.r, 1e-3 * tolerance, 20).r);
  return result();
}

// What the sweeps keep of a contact's own block of W.
struct HybridBlock {
  Mat3d w;
  Mat3d inverse;  // where `regular`
  SlidingBlock sliding;
  double weight = 0;  // mean_inverse_mass [1/kg]
  bool regular = false;
  bool doubtful = true;  // so nearly singular that what the inverse gives is to be checked
};

YMIR_HD inline HybridBlock hybrid_block(const Mat3d& w) {
  HybridBlock h;
  h.w = w;
  h.weight = mean_inverse_mass(w);
  h.sliding = sliding_block(w);
  const Mat3d c = cofactor(w);
  const double det = dot(w.column[0], c.column[0]), size = std::sqrt(dot(w, w));
  h.regular = h.sliding.definite && det > 1e-14 * size * size * size;
  h.doubtful = !(det > 1e-6 * size * size * size);
  if (h.regular) h.inverse = transposed(c) * (1 / det);
  return h;
}

// Newton where it suffices, enumeration where it fails. Other than in [Daviet2011] the cases that have a formula come
// first: open, stick; a sliding contact is one equation in one unknown with a bracket, started from the r of before.
YMIR_HD inline LocalResult hybrid_contact(const HybridBlock& h, Vec3d b, double mu, Vec3d before, double tolerance) {
  if (b.x >= 0) return {{}, true};
  if (h.regular && mu > 0) {
    const Vec3d stick = h.inverse * -b;
    if (stick.y * stick.y + stick.z * stick.z <= mu * mu * stick.x * stick.x && stick.x >= 0 &&
        (!h.doubtful || obeys_coulomb({h.w, b, mu}, stick, tolerance)))
      return {stick, true};
    const double t = tangential_norm(before);
    const double guess = t > 0 ? tangential_norm(h.w * before + b) / t : 0;
    Vec3d slide;
    if (slide_by_slip(h.sliding, b, mu, guess, slide) && obeys_coulomb({h.w, b, mu}, slide, tolerance))
      return {slide, true};
  }
  const LocalContact c{h.w, b, mu};
  const LocalResult newton = mfb_newton(c, before, tolerance);
  if (newton.solved) return newton;
  const LocalResult all = enumerative_contact(c, tolerance);
  if (all.solved) return all;
  return local_residual(c, all.r) <= local_residual(c, newton.r) ? all : newton;
}

}  // namespace ymir
