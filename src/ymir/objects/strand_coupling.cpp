#include "ymir/objects/strand_coupling.h"

#include <Eigen/Dense>
#include <algorithm>
#include <map>
#include <numeric>

#include "ymir/base/error.h"
#include "ymir/objects/curves_object.h"
#include "ymir/parallel/threads.h"
#include "ymir/solvers/conjugate_gradient.h"
#include "ymir/solvers/direct.h"

namespace ymir {
namespace {

using Real = StrandReal;
constexpr int lanes = StrandSystem::lanes;
constexpr double linear_tolerance = 1e-9;

// y = A x; the vectors of doubles need not be aligned as lanes are.
template <class Layout>
void band_product(const Real* matrix, const double* x, double* y, int rows) {
  constexpr int column = Layout::half_bandwidth + 1;
  std::fill_n(y, rows * lanes, 0.0);
  for (int c = 0; c < rows; ++c) {
    const Real* a = matrix + static_cast<std::ptrdiff_t>(c) * column;
    const Real xc = Real::load(x + c * lanes);
    Real sum = Real::load(y + c * lanes) + a[0] * xc;
    for (int k = 1; k < column && c + k < rows; ++k) {
      sum = mul_add(a[k], Real::load(x + (c + k) * lanes), sum);
      mul_add(a[k], xc, Real::load(y + (c + k) * lanes)).store(y + (c + k) * lanes);
    }
    sum.store(y + c * lanes);
  }
}

}  // namespace

struct StrandCoupling::Member {
  CurvesObject* object;
  int group;
  std::unique_ptr<StrandNewton> newton;
  RootPose pose;
  std::vector<Real> matrix;  // not factored
  mutable std::vector<Real> padded;
  std::size_t offset = 0;  // in the cluster's vectors [doubles]
  bool moving = false;     // its roots are

  std::size_t size() const { return static_cast<std::size_t>(newton->rows()) * lanes; }
};

struct StrandCoupling::Element {
  CouplingSource* source;
  std::size_t index;
  int member[2], lane[2];
  CouplingTerm term;
};

struct StrandCoupling::Cluster {
  std::vector<Member> members;
  std::vector<Element> elements;
  std::vector<double> rhs, solution;
  CgWorkspace workspace;
  int cg_iterations = 0, cg_limit = 0, direct_solves = 0;

  EmbeddedPoint point(const Element& e, int end) const {
    const StrandPoint& p = e.source->point(e.index, end);
    return members[static_cast<std::size_t>(e.member[end])].newton->step().embedded(e.lane[end], p.edge, p.u);
  }
  // Index of a local degree of freedom of one end of an element; -1 when it is given.
  std::ptrdiff_t index_of(const Element& e, int end, int local) const {
    const Member& m = members[static_cast<std::size_t>(e.member[end])];
    const int edge = e.source->point(e.index, end).edge;
    if (!m.newton->is_free(edge + local / 4, local % 4, e.lane[end])) return -1;
    return static_cast<std::ptrdiff_t>(m.offset) + m.newton->row(edge, local) * lanes + e.lane[end];
  }
  template <class F>  // f(row of the term, index, value)
  void for_each_entry(const Element& e, F&& f) const {
    for (int end = 0; end < 2; ++end)
      for (int local = 0; local < 7; ++local) {
        const std::ptrdiff_t at = index_of(e, end, local);
        if (at < 0) continue;
        for (int r = 0; r < e.term.rows; ++r)
          f(r, static_cast<std::size_t>(at), e.term.j[r][e.term.first[end] + local]);
      }
  }
  void block_solve(std::span<const double> r, std::span<double> z) const {
    parallel_for(static_cast<std::ptrdiff_t>(members.size()), [&](std::ptrdiff_t k) {
      const Member& m = members[static_cast<std::size_t>(k)];
      std::fill(m.padded.begin(), m.padded.end(), Real::all(0));
      std::copy_n(r.data() + m.offset, m.size(), reinterpret_cast<double*>(m.padded.data()));
      m.newton->solve(m.padded.data());
      std::copy_n(reinterpret_cast<const double*>(m.padded.data()), m.size(), z.data() + m.offset);
    });
  }
  void product(std::span<const double> x, std::span<double> y) const {
    parallel_for(static_cast<std::ptrdiff_t>(members.size()), [&](std::ptrdiff_t k) {
      const Member& m = members[static_cast<std::size_t>(k)];
      const double* from = x.data() + m.offset;
      double* to = y.data() + m.offset;
      if (m.newton->step().multipliers)
        band_product<MultiplierLayout>(m.matrix.data(), from, to, m.newton->rows());
      else
        band_product<PlainLayout>(m.matrix.data(), from, to, m.newton->rows());
    });
    for (const Element& e : elements) {
      if (e.term.hard) continue;
      double jx[CouplingTerm::max_rows] = {};
      for_each_entry(e, [&](int r, std::size_t at, double j) { jx[r] += j * x[at]; });
      for_each_entry(e, [&](int r, std::size_t at, double j) { y[at] += j * e.term.stiffness[r] * jx[r]; });
    }
  }
};

bool StrandCoupling::in_cluster(const CurvesObject* object, int group) const {
  return std::binary_search(taken_.begin(), taken_.end(), std::pair(object, group));
}

void StrandCoupling::prepare(const Step& step) {
  for (const auto& source : sources_) source->prepare(step.time + step.dt, step.dt);
  // Objects in the order in which constraints name them: the same in every run.
  std::vector<CurvesObject*> objects;
  const auto number_of = [&](CurvesObject* object) {
    const auto number = std::find(objects.begin(), objects.end(), object) - objects.begin();
    if (number == std::ssize(objects)) objects.push_back(object);
    return static_cast<int>(number);
  };
  // Where the strands are on this rank.
  std::map<std::pair<int, std::int64_t>, std::pair<int, int>> places;
  for (const auto& source : sources_)
    for (std::size_t e = 0; e < source->size(); ++e)
      for (int end = 0; end < 2; ++end)
        places[{number_of(source->point(e, end).object), source->point(e, end).strand}] = {-1, 0};
  for (std::size_t o = 0; o < objects.size(); ++o)
    for (int g = 0; g < objects[o]->strands().group_count(); ++g)
      for (int lane = 0; lane < lanes; ++lane) {
        const auto found =
            places.find({static_cast<int>(o), objects[o]->strands().group(g).id[static_cast<std::size_t>(lane)]});
        if (found != places.end()) found->second = {g, lane};
      }
  // Groups joined by elements.
  std::map<std::pair<int, int>, int> nodes;  // object and group
  std::vector<int> parent;
  const auto find = [&](int a) {
    while (parent[static_cast<std::size_t>(a)] != a) a = parent[static_cast<std::size_t>(a)];
    return a;
  };
  struct Link {
    CouplingSource* source;
    std::size_t element;
    int node[2], lane[2];
  };
  std::vector<Link> links;
  for (const auto& source : sources_)
    for (std::size_t e = 0; e < source->size(); ++e) {
      Link link{source.get(), e, {}, {}};
      int found_ends = 0;
      for (int end = 0; end < 2; ++end) {
        const StrandPoint& p = source->point(e, end);
        const int object = number_of(p.object);
        const auto [group, lane] = places[{object, p.strand}];
        if (group < 0) continue;
        ++found_ends;
        const auto [it, added] = nodes.try_emplace({object, group}, static_cast<int>(parent.size()));
        if (added) parent.push_back(it->second);
        link.node[end] = it->second;
        link.lane[end] = lane;
      }
      if (found_ends == 0) continue;
      if (found_ends == 1)
        throw Error(ExitCode::bad_input, "strands attached to each other are on different ranks; run on fewer ranks");
      parent[static_cast<std::size_t>(find(link.node[1]))] = find(link.node[0]);
      links.push_back(link);
    }
  clusters_.clear();
  taken_.clear();
  std::vector<int> cluster_of(parent.size(), -1), slot(parent.size(), 0);
  for (const auto& [key, node] : nodes) {
    int& cluster = cluster_of[static_cast<std::size_t>(find(node))];
    if (cluster < 0) {
      cluster = static_cast<int>(clusters_.size());
      clusters_.push_back(std::make_shared<Cluster>());
      clusters_.back()->cg_limit = cg_limit_;
    }
    Cluster& c = *clusters_[static_cast<std::size_t>(cluster)];
    slot[static_cast<std::size_t>(node)] = static_cast<int>(c.members.size());
    Member& m = c.members.emplace_back();
    CurvesObject* object = objects[static_cast<std::size_t>(key.first)];
    m.object = object;
    m.group = key.second;
    m.newton = std::make_unique<StrandNewton>(object->strands(), object->channels());
    taken_.emplace_back(object, key.second);
  }
  std::sort(taken_.begin(), taken_.end());
  for (const Link& link : links) {
    Cluster& c = *clusters_[static_cast<std::size_t>(cluster_of[static_cast<std::size_t>(find(link.node[0]))])];
    c.elements.push_back({link.source,
                          link.element,
                          {slot[static_cast<std::size_t>(link.node[0])], slot[static_cast<std::size_t>(link.node[1])]},
                          {link.lane[0], link.lane[1]},
                          {}});
  }
}

StrandReport StrandCoupling::advance(const Step& step, const NewtonSettings& settings) {
  std::vector<StrandReport> reports(clusters_.size());
  const auto one = [&](std::ptrdiff_t c) {
    reports[static_cast<std::size_t>(c)] = advance_cluster(*clusters_[static_cast<std::size_t>(c)], step, settings);
  };
  // A single cluster is parallel inside.
  if (clusters_.size() == 1)
    one(0);
  else
    parallel_for(static_cast<std::ptrdiff_t>(clusters_.size()), one);
  StrandReport total;
  cg_iterations_ = direct_solves_ = 0;
  for (std::size_t c = 0; c < reports.size(); ++c) {
    total.iterations = std::max(total.iterations, reports[c].iterations);
    total.lane_iterations += reports[c].lane_iterations;
    total.weakened += reports[c].weakened;
    total.converged = total.converged && reports[c].converged;
    if (!(reports[c].residual <= total.residual)) total.residual = reports[c].residual;
    cg_iterations_ = std::max(cg_iterations_, clusters_[c]->cg_iterations);
    direct_solves_ += clusters_[c]->direct_solves;
  }
  return total;
}

StrandReport StrandCoupling::advance_cluster(Cluster& c, const Step& step, const NewtonSettings& settings) {
  const auto each = [&](auto&& f) {
    parallel_for(static_cast<std::ptrdiff_t>(c.members.size()),
                 [&](std::ptrdiff_t m) { f(c.members[static_cast<std::size_t>(m)]); });
  };
  each([&](Member& m) {
    m.moving = m.object->moving_roots();
    if (m.moving) m.pose = m.object->root_pose(m.group);
    m.newton->step().active = Real::all(1);
    m.newton->begin(m.group, step.time + step.dt, step.dt, nullptr, m.object->forces(), m.object->constraints());
  });
  std::size_t total = 0;
  for (Member& m : c.members) {
    m.offset = total;
    total += m.size();
  }
  c.rhs.assign(total, 0);
  c.solution.assign(total, 0);
  for (Element& e : c.elements) e.source->begin(e.index, c.point(e, 0), c.point(e, 1));
  each([&](Member& m) {
    if (m.moving) m.newton->place_roots(m.pose);
  });

  StrandReport report;
  double last_step = std::numeric_limits<double>::infinity();
  for (;; ++report.iterations) {
    each([&](Member& m) {
      m.newton->step().beta = Real::all(1);
      m.newton->assemble(m.object->forces(), m.object->constraints());
    });
    double violation = 0;
    for (Element& e : c.elements) {
      e.source->evaluate(e.index, c.point(e, 0), c.point(e, 1), step.dt, e.term);
      // The forces of constraints between strands join the residual; those of hard ones carry their multiplier.
      c.for_each_entry(e, [&](int r, std::size_t at, double j) {
        Member* m = &c.members[static_cast<std::size_t>(e.member[0])];
        if (at < m->offset || at >= m->offset + m->size()) m = &c.members[static_cast<std::size_t>(e.member[1])];
        reinterpret_cast<double*>(m->newton->step().residual)[at - m->offset] += j * e.term.force[r];
      });
      if (e.term.hard)
        for (int r = 0; r < e.term.rows; ++r) violation = std::max(violation, std::abs(e.term.gap[r]));
    }
    report.residual = 0;
    for (const Member& m : c.members) {
      const Real left = m.newton->residual();
      for (int lane = 0; lane < lanes; ++lane) {
        if (m.object->strands().group(m.group).id[static_cast<std::size_t>(lane)] < 0) continue;
        const double worst = std::max(left[lane], violation / m.newton->step().mean_length[lane]);
        if (!(worst <= report.residual) || std::isnan(left[lane]))
          report.residual = std::isnan(left[lane]) ? left[lane] : worst;
        ++report.lane_iterations;
      }
    }
    if (report.residual < settings.tolerance && last_step < std::sqrt(settings.tolerance)) break;
    if (report.iterations == settings.max_iterations || std::isnan(report.residual) || !solve_linear(c)) {
      report.converged = false;
      break;
    }
    double share = 1;
    last_step = 0;
    for (const Member& m : c.members) {
      const Real size = m.newton->step_size();
      for (int lane = 0; lane < lanes; ++lane) last_step = std::max(last_step, size[lane]);
      const Real reach = m.newton->reach();
      for (int lane = 0; lane < lanes; ++lane) share = std::min(share, reach[lane]);
    }
    each([&](Member& m) { m.newton->move(Real::all(share), Real::all(0), m.object->constraints()); });
    for (Element& e : c.elements)
      if (e.term.hard) {
        double change[CouplingTerm::max_rows];
        for (int r = 0; r < e.term.rows; ++r) change[r] = e.term.gap[r] * share;  // solve_linear left the step there
        e.source->advance(e.index, change);
      }
  }
  each([&](Member& m) { m.newton->end(m.object->constraints()); });
  return report;
}

// The Newton step of the whole cluster into every member's step.step; false when no solver manages.
bool StrandCoupling::solve_linear(Cluster& c) {
  for (Member& m : c.members) {
    StrandStep& s = m.newton->step();
    const int spare = s.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth;
    const auto entries = static_cast<std::size_t>((m.newton->rows() + spare) * (spare + 1));
    m.padded.resize(static_cast<std::size_t>(m.newton->rows() + spare));
    m.matrix.assign(s.matrix, s.matrix + entries);
    while (!m.newton->factor()) {
      for (int lane = 0; lane < lanes; ++lane)
        if (s.beta[lane] < 0) return false;
      const std::vector<Real> residual(s.residual, s.residual + m.newton->rows());
      m.newton->assemble(m.object->forces(), m.object->constraints());
      std::copy(residual.begin(), residual.end(), s.residual);
      m.matrix.assign(s.matrix, s.matrix + entries);
    }
    const auto* residual = reinterpret_cast<const double*>(s.residual);
    const auto* condensed = reinterpret_cast<const double*>(s.condensed);
    for (std::size_t i = 0; i < m.size(); ++i) c.rhs[m.offset + i] = -(residual[i] + condensed[i]);
  }
  const bool soft = std::any_of(c.elements.begin(), c.elements.end(), [](const Element& e) { return !e.term.hard; });
  const auto solve = [&](std::span<const double> b, std::span<double> x) {
    c.block_solve(b, x);
    if (!soft) return true;
    const CgReport report =
        conjugate_gradient([&](std::span<const double> in, std::span<double> out) { c.product(in, out); },
                           [&](std::span<const double> in, std::span<double> out) { c.block_solve(in, out); }, b, x,
                           c.workspace, CgOptions{linear_tolerance, 0, c.cg_limit});
    c.cg_iterations = std::max(c.cg_iterations, report.iterations);
    if (report.converged || report.status == CgStatus::stagnated) return true;
    ++c.direct_solves;
    return direct(c, b, x);
  };
  if (!solve(c.rhs, c.solution)) return false;

  // Hard constraints: (J A^-1 J' + 1/W) dlambda = C + J dq0, dq = dq0 - A^-1 J' dlambda.
  std::vector<std::pair<Element*, int>> rows;
  for (Element& e : c.elements)
    if (e.term.hard)
      for (int r = 0; r < e.term.rows; ++r) rows.emplace_back(&e, r);
  if (!rows.empty()) {
    const auto n = static_cast<Eigen::Index>(rows.size());
    Eigen::MatrixXd schur(n, n);
    Eigen::VectorXd gap(n);
    std::vector<std::vector<double>> columns(rows.size(), std::vector<double>(c.rhs.size()));
    std::vector<double> unit(c.rhs.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      std::fill(unit.begin(), unit.end(), 0.0);
      c.for_each_entry(*rows[k].first, [&](int r, std::size_t at, double j) {
        if (r == rows[k].second) unit[at] += j;
      });
      if (!solve(unit, columns[k])) return false;
    }
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto at_k = static_cast<Eigen::Index>(k);
      std::vector<double> along(rows.size(), 0.0);
      double dq = 0;
      c.for_each_entry(*rows[k].first, [&](int r, std::size_t at, double j) {
        if (r != rows[k].second) return;
        dq += j * c.solution[at];
        for (std::size_t l = 0; l < rows.size(); ++l) along[l] += j * columns[l][at];
      });
      for (std::size_t l = 0; l < rows.size(); ++l) schur(at_k, static_cast<Eigen::Index>(l)) = along[l];
      schur(at_k, at_k) += 1 / rows[k].first->term.stiffness[rows[k].second];
      gap[at_k] = rows[k].first->term.gap[rows[k].second] + dq;
    }
    const Eigen::VectorXd change = schur.ldlt().solve(gap);
    if (!change.allFinite()) return false;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double dl = change[static_cast<Eigen::Index>(k)];
      for (std::size_t i = 0; i < c.solution.size(); ++i) c.solution[i] -= columns[k][i] * dl;
      rows[k].first->term.gap[rows[k].second] = dl;
    }
  }
  for (Member& m : c.members) {
    StrandStep& s = m.newton->step();
    std::copy_n(c.solution.data() + m.offset, m.size(), reinterpret_cast<double*>(s.step));
  }
  return true;
}

// The fail-safe: the whole matrix, factored. Lanes without a strand have unit rows and take part unharmed.
bool StrandCoupling::direct(const Cluster& c, std::span<const double> b, std::span<double> x) {
  std::vector<Triplet> entries;
  for (const Member& m : c.members) {
    const StrandStep& s = m.newton->step();
    const int column = (s.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth) + 1;
    for (int r = 0; r < m.newton->rows(); ++r)
      for (int k = 0; k < column && r + k < m.newton->rows(); ++k)
        for (int lane = 0; lane < lanes; ++lane)
          if (const double value = m.matrix[static_cast<std::size_t>(r * column + k)][lane]; value != 0 || k == 0)
            entries.push_back({static_cast<std::int32_t>(m.offset) + (r + k) * lanes + lane,
                               static_cast<std::int32_t>(m.offset) + r * lanes + lane, value});
  }
  for (const Element& e : c.elements) {
    if (e.term.hard) continue;
    std::map<std::size_t, std::array<double, CouplingTerm::max_rows>> columns;
    c.for_each_entry(e, [&](int r, std::size_t at, double j) { columns[at][static_cast<std::size_t>(r)] += j; });
    for (auto p = columns.begin(); p != columns.end(); ++p)
      for (auto q = columns.begin(); q != std::next(p); ++q) {
        double value = 0;
        for (int r = 0; r < e.term.rows; ++r)
          value +=
              p->second[static_cast<std::size_t>(r)] * e.term.stiffness[r] * q->second[static_cast<std::size_t>(r)];
        entries.push_back({static_cast<std::int32_t>(p->first), static_cast<std::int32_t>(q->first), value});
      }
  }
  const SymmetricMatrix matrix(static_cast<std::int32_t>(b.size()), entries);
  const bool multipliers =
      std::any_of(c.members.begin(), c.members.end(), [](const Member& m) { return m.newton->step().multipliers; });
  DirectSolver solver(DirectBackend::automatic, multipliers ? Definiteness::indefinite : Definiteness::positive);
  solver.analyze(matrix);
  if (!solver.factor(matrix)) return false;
  solver.solve_refined(matrix, b, x);
  return true;
}

}  // namespace ymir
