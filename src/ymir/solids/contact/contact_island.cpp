#include "ymir/solids/contact/contact_island.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ymir/base/error.h"
#include "ymir/base/log.h"
#include "ymir/base/timer.h"
#include "ymir/parallel/threads.h"
#include "ymir/solids/contact/active_contacts.h"
#include "ymir/solids/contact/condensed_contacts.h"

namespace ymir {
namespace {

// Islands with fewer contacts are advanced by one thread: waking others takes longer.
constexpr std::size_t few_contacts = 64;
// Contacts of rigid bodies that are solved by themselves.
constexpr std::size_t most_condensed_rigid = 400;
// Of a heap on cloth: where more are needed, matrices of all serve better.
constexpr int most_tried = 300;
constexpr double sharp = 1e-9;  // tolerance of contacts that are
// Where that is expensive: at most, and of the tolerance.
constexpr double enough = 1e-7, enough_of_tolerance = 1e-3;
// Of the tolerance, what contacts with the matrices of all go to, which costs them little.
constexpr double sharper = 1e-2;
// Blocks of a matrix that is written to a file, by a bound: a few GB.
constexpr std::size_t most_recorded = 200'000'000;
// What overlaps is parted at this speed at most: faster, and it would fly apart [m/s].
constexpr double push_out = 0.1;
// Residual displacements of blocks, by their size, that contacts may be wrong by.
constexpr double noise = 1e-6;
// Steps of rigid bodies, by their size, that need no other one after them.
constexpr double still = 1e-8;
constexpr const char* mixed_among_inextensible =
    "contacts of `response: exact` and of `response: penalty` or `barrier` meet among inextensible strands, where only "
    "one kind can be solved: give the `collision` and the `collider` there the same `response`";
// Residuals of Newton's method above which contacts need not be sharp yet, and tolerances that they may be wrong by.
constexpr double sharp_below = 1e-3, loosest = 100;

}  // namespace

int ContactIsland::add(Cluster& cluster) {
  clusters_.push_back({&cluster, {}});
  return static_cast<int>(clusters_.size()) - 1;
}

int ContactIsland::add_remote(Communicator& communicator, int rank) {
  auto found = std::find_if(remote_.begin(), remote_.end(), [&](const auto& r) { return r->rank() == rank; });
  if (found == remote_.end()) found = remote_.insert(found, std::make_unique<RemoteClusters>(communicator, rank));
  clusters_.push_back({nullptr, {}, &(*found)->add()});
  return static_cast<int>(clusters_.size()) - 1;
}

void ContactIsland::add_contact(std::size_t contact, const Side& a, const Side& b) {
  contacts_.push_back({contact, {a, b}});
}

template <class F>
void ContactIsland::for_each_cluster(F&& f) {
  if (contacts_.size() < few_contacts) {
    for (Touching& c : clusters_)
      if (c.cluster != nullptr) f(c);
    return;
  }
  parallel_for(std::ssize(clusters_), [&](std::ptrdiff_t c) {
    if (clusters_[static_cast<std::size_t>(c)].cluster != nullptr) f(clusters_[static_cast<std::size_t>(c)]);
  });
}

template <class F>
bool ContactIsland::all_clusters(F&& f) {
  std::vector<char> good(clusters_.size(), 1);
  for_each_cluster([&](Touching& c) { good[static_cast<std::size_t>(&c - clusters_.data())] = f(c) ? 1 : 0; });
  return std::all_of(good.begin(), good.end(), [](char g) { return g != 0; });
}

// Where a coupling holds two pieces to each other they do not touch: near it, and rigid bodies nowhere.
void ContactIsland::leave_out_ties(const ContactScene& scene) {
  constexpr double reach = 3.5;  // [edges]
  const auto is_tie = [&](const Touch& touch) {
    const Side &a = touch.side[0], &b = touch.side[1];
    if (a.cluster != b.cluster) return false;
    const Touching& both = clusters_[static_cast<std::size_t>(a.cluster)];
    if (both.cluster == nullptr) return false;  // a block that nothing is coupled to
    const Contact& contact = scene.contacts()[touch.contact];
    const bool rigid = both.contacts->rigid(a.at.member) && both.contacts->rigid(b.at.member);
    const double near = rigid ? std::numeric_limits<double>::infinity() : reach * scene.edge_at(contact);
    return both.cluster->tied(a.at, b.at, scene.point(contact.a), near);
  };
  std::erase_if(contacts_, is_tie);
}

void ContactIsland::follow(const ContactScene& scene, const Contact& contact, int number, const Cluster::Held& at,
                           const ClusterContacts& contacts, std::vector<NodeShare>& shares) {
  const ContactSide& side = number == 0 ? contact.a : contact.b;
  std::int32_t vertices[3];
  std::size_t count = 0;
  for (; count < 3 && side.vertex[count] >= 0; ++count) vertices[count] = scene.within_piece(side, side.vertex[count]);
  contacts.follow(at, std::span(vertices, count), std::span(side.weight).first(count), scene.arm(contact, number),
                  shares);
}

void ContactIsland::list_contacts(const ContactScene& scene, double dt) {
  list_ = {};
  std::vector<NodeShare> shares;
  for (const Touch& touch : contacts_) {
    const Contact& contact = scene.contacts()[touch.contact];
    NodeContact& c = list_.add(contact.normal, scene.friction(contact));
    c.cohesion = scene.adhesion(contact) * dt;
    c.impulse = contact.impulse;
    for (int end = 0; end < 2; ++end) {
      const Side& side = touch.side[end];
      if (side.cluster < 0) continue;
      const Touching& touching = clusters_[static_cast<std::size_t>(side.cluster)];
      shares.clear();
      if (touching.remote != nullptr)
        touching.remote->all().follow(shares);
      else
        follow(scene, contact, end, side.at, *touching.contacts, shares);
      for (const NodeShare& share : shares)
        list_.touch(side.cluster, share.node, end == 0 ? share.weight : -share.weight);
    }
  }
}

// u of the iterate, when nothing moves it on.
void ContactIsland::set_free(const ContactScene& scene, double dt) {
  constexpr std::ptrdiff_t run = 256;
  const auto set = [&](std::size_t k) {
    const Contact& contact = scene.contacts()[contacts_[k].contact];
    const double room = scene.room(contact);
    Vec3d way = contact.normal * (laws_[k].smooth() ? room : std::max(room, -push_out * dt)) - contact.carried;
    for (const ContactNode& n : list_.nodes_of(list_.contacts[k]))
      way += clusters_[static_cast<std::size_t>(n.body)].way(n.node) * n.weight;
    list_.contacts[k].free = way / dt;
  };
  parallel_blocks(std::ssize(contacts_), run, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t k = begin; k < end; ++k) set(static_cast<std::size_t>(k));
  });
}

void ContactIsland::push(double per_dt) {
  if (given_.empty()) return;
  for_each_cluster(
      [&](Touching& c) { c.contacts->push(given_[static_cast<std::size_t>(&c - clusters_.data())], per_dt); });
}

// Whether contacts can be solved by themselves: bodies answer quickly, and there are not too many.
bool ContactIsland::few() const {
  const auto is = [&](NodalBody::Adapt when) {
    return std::all_of(bodies_.begin(), bodies_.end(), [&](const NodalBody* b) { return b->adapt() == when; });
  };
  if (std::any_of(bodies_.begin(), bodies_.end(), [](const NodalBody* b) { return b->threaded(); })) return false;
  return contacts_.size() <= (is(NodalBody::Adapt::often) ? most_condensed_rigid : few_contacts);
}

// A body, not strands that share a block and touch each other.
bool ContactIsland::on_colliders() const {
  return clusters_.size() == 1 && remote_.empty() &&
         std::ranges::all_of(contacts_, [](const Touch& t) { return t.side[0].cluster < 0 || t.side[1].cluster < 0; });
}

// What the splitting leaves of a body on colliders, where few contacts push.
void ContactIsland::finish_condensed(double tolerance) {
  const std::vector<NodeContact> before = list_.contacts;
  const auto report = solve_active(list_, bodies_, tolerance);
  if (!report) return;
  if (!(report->errors.scaled < outcome_.error)) {
    list_.contacts = before;
    return;
  }
  outcome_.error = report->errors.scaled;
  outcome_.status = outcome_.error <= tolerance ? ContactStatus::solved : static_cast<ContactStatus>(report->status);
  outcome_.contact_iterations += report->iterations;
}

void ContactIsland::solve_contacts(double tolerance) {
  if (contacts_.empty()) return;
  if (few()) {
    const CoulombReport report =
        CondensedContacts(list_, bodies_)
            .solve(list_, std::min(tolerance, sharp), std::min(enough_of_tolerance * tolerance, enough));
    // Sharper than asked is a gain, not a duty.
    outcome_.error = report.errors.scaled;
    outcome_.status = outcome_.error <= tolerance ? ContactStatus::solved : static_cast<ContactStatus>(report.status);
    outcome_.contact_iterations += report.iterations;
    if (!report.errors.worst.empty())
      outcome_.worst_contact = contacts_[static_cast<std::size_t>(report.errors.worst.front())].contact;
  } else {
    NodalOptions options;
    options.tolerance = tolerance;
    options.guess = 0.1;  // impulses that stay while bodies move on would let them drift
    if (trying_) options.max_iterations = most_tried, options.compliances = false;
    const NodalReport report = solver_.solve(list_, options);
    outcome_.status = report.status;
    outcome_.error = report.error;
    outcome_.contact_iterations += report.iterations + report.compliance_sweeps;
    if (!report.worst.empty())
      outcome_.worst_contact = contacts_[static_cast<std::size_t>(report.worst.front())].contact;
    if (report.status != ContactStatus::solved && on_colliders()) finish_condensed(tolerance);
  }
  collect();
}

// Whether contacts are solved with the matrices of all blocks: where there is cloth, or one contact is exact and
// another is not, and nothing has multipliers.
bool ContactIsland::whole() const {
  if (!remote_.empty()) return false;
  bool thin = mixed_;
  for (const Touching& c : clusters_)
    for (std::size_t m = 0; m < c.cluster->blocks(); ++m) {
      if (c.cluster->block(m).indefinite()) return false;
      thin = thin || c.contacts->thin(m);
    }
  return thin;
}

// Whether most contacts are between points, each a piece by itself. Matrices of all of them would be full, and what
// lies on cloth is then a heap of things that are light each, which the splitting deals with.
bool ContactIsland::heap() const {
  if (smooth_) return false;
  const auto on_point = [&](const ContactNode& n) {
    const NodalBody& body = *bodies_[static_cast<std::size_t>(n.body)];
    return body.pieces() == body.nodes();
  };
  const auto between = std::count_if(list_.contacts.begin(), list_.contacts.end(), [&](const NodeContact& c) {
    const auto nodes = list_.nodes_of(c);
    return std::all_of(nodes.begin(), nodes.end(), on_point);
  });
  return 2 * between > std::ssize(list_.contacts);
}

bool ContactIsland::coupled() const {
  return std::any_of(clusters_.begin(), clusters_.end(), [](const Touching& c) { return !c.cluster->alone(); });
}

// Impulses of contacts to those on nodes.
void ContactIsland::collect() {
  given_.resize(clusters_.size());
  for (std::size_t c = 0; c < clusters_.size(); ++c)
    given_[c].assign(static_cast<std::size_t>(bodies_[c]->nodes()), NodeVector::all(0));
  for (const NodeContact& c : list_.contacts)
    for (const ContactNode& n : list_.nodes_of(c)) {
      NodeVector& g = given_[static_cast<std::size_t>(n.body)][static_cast<std::size_t>(n.node)];
      for (int k = 0; k < 3; ++k) g.set(k, g[k] + n.weight * c.impulse[k]);
    }
}

void ContactIsland::note(double error, std::int64_t iterations, std::size_t worst, double tolerance) {
  outcome_.error = error;
  outcome_.status = error <= tolerance         ? ContactStatus::solved
                    : error <= 100 * tolerance ? ContactStatus::inaccurate
                                               : ContactStatus::failed;
  outcome_.contact_iterations += iterations;
  outcome_.worst_contact = contacts_[worst].contact;
}

bool ContactIsland::nothing_pushes() const {
  return !smooth_ && !recording_ && remote_.empty() && std::ranges::none_of(list_.contacts, [](const NodeContact& c) {
    return c.impulse != Vec3d{0, 0, 0} || c.cohesion > 0;
  });
}

// Whether the step that bodies take without contacts closes none of them: then it is the step.
bool ContactIsland::stays_open() {
  std::vector<std::vector<NodeVector>> moved(clusters_.size());
  for_each_cluster([&](Touching& c) {
    auto& own = moved[static_cast<std::size_t>(&c - clusters_.data())];
    own.assign(static_cast<std::size_t>(c.body().nodes()), NodeVector::all(0));
    c.body().solve(own.data());
  });
  for (const NodeContact& c : list_.contacts) {
    double along = dot(c.normal, c.free);
    for (const ContactNode& n : list_.nodes_of(c)) {
      const NodeVector& v = moved[static_cast<std::size_t>(n.body)][static_cast<std::size_t>(n.node)];
      along += n.weight * dot(c.normal, Vec3d{v[0], v[1], v[2]});
    }
    if (!(along >= 0)) return false;
  }
  outcome_.error = 0;
  outcome_.status = ContactStatus::solved;
  collect();
  return true;
}

// The same where contacts go by the matrices of all; what factors leave of those is of no use to them.
bool ContactIsland::pass_by(double dt) {
  if (!nothing_pushes()) return false;
  if (all_clusters([&](Touching& c) { return c.cluster->factor() && c.contacts->refresh(dt); }) && stays_open()) {
    for_each_cluster([](Touching& c) { c.cluster->solve_step(); });
    return true;
  }
  for_each_cluster([](Touching& c) {
    c.cluster->assemble();
    c.cluster->evaluate();
  });
  return false;
}

// Matrices as Newton's method wants them, as long as there is a factor of all of them together.
bool ContactIsland::solve_whole(double tolerance, double dt) {
  const auto factor = [&](bool thin) {
    return all_clusters([&](Touching& c) {
      for (std::size_t m = 0; m < c.cluster->blocks(); ++m)
        if (c.contacts->thin(m) == thin && !c.cluster->block(m).factor()) return false;
      return true;
    });
  };
  if (!factor(false)) return false;
  const bool first = !std::exchange(whole_begun_, true);
  if (first) {
    std::vector<WholeContacts::Body> blocks;
    for (Touching& c : clusters_) blocks.push_back({c.cluster, &*c.contacts});
    whole_.begin(blocks, list_, laws_);
  }
  WholeContacts::Report report;
  const auto solved = [&](bool curvature) {
    whole_.take(dt, curvature);
    if (first) {
      if (!whole_.measure(list_)) return false;
      if (recording_) record_whole();
    }
    return whole_.solve(list_, sharper * tolerance, report) == WholeContacts::Solved::yes;
  };
  if (!solved(true) && !(factor(true) && solved(false))) {
    recorded_.reset();
    return false;
  }
  note(report.error, report.iterations, report.worst, tolerance);
  if (recorded_ && first) recorded_->r = ContactFrames(list_).impulses(list_);
  collect();
  std::vector<double> step;
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    whole_.step_of(c, step);
    clusters_[c].cluster->take_step(step);
  }
  return true;
}

bool ContactIsland::recordable() const {
  std::vector<std::size_t> on(bodies_.size(), 0);
  for (const ContactNode& n : list_.nodes) ++on[static_cast<std::size_t>(n.body)];
  std::size_t blocks = 0;  // at most
  for (const std::size_t count : on) blocks += count * count;
  if (blocks <= most_recorded) return true;
  log::warn(fmt::format("--dump-contacts: {} contacts between {} bodies are left out, their matrix would be too large",
                        contacts_.size(), clusters_.size()));
  return false;
}

// W before the contacts push: bodies answer from the right side they have.
void ContactIsland::solve_and_record(double tolerance) {
  if (!recordable()) return solve_contacts(tolerance);
  const Timer timer;
  const CondensedContacts condensed(list_, bodies_);
  const double seconds = timer.seconds();
  const RecordedContacts::Splitting splitting = split_from_rest(condensed);  // masses of nodes are set anew after it
  solve_contacts(tolerance);
  recorded_ = {condensed.problem(), condensed.frames().impulses(list_), clusters_.size(), seconds, splitting};
}

RecordedContacts::Splitting ContactIsland::split_from_rest(const CondensedContacts& condensed) const {
  RecordedContacts::Splitting splitting;
  ContactList list = list_;
  for (NodeContact& c : list.contacts) c.impulse = {0, 0, 0};
  NodalContact solver;
  NodalOptions options;
  options.tolerance = splitting.tolerance;
  const Timer timer;
  solver.begin(bodies_, list);
  const NodalReport report = solver.solve(list, options);
  splitting.seconds = timer.seconds();
  splitting.status = report.status;
  splitting.iterations = report.iterations;
  splitting.compliance_sweeps = report.compliance_sweeps;
  splitting.errors = coulomb_errors(condensed.problem(), condensed.frames().impulses(list));
  return splitting;
}

// Of matrices that only stand together: `whole_` has their factor.
void ContactIsland::record_whole() {
  if (smooth_)
    return log::warn("--dump-contacts: contacts by penalties and barriers, and what they meet, are left out");
  if (!whole_.linear())
    return log::warn(
        "--dump-contacts: contacts of cloth and what it touches are left out where joints or `hard` "
        "attachments tie them to others");
  if (!recordable()) return;
  const Timer timer;
  CoulombProblem problem = whole_.condense(list_);
  recorded_ = {std::move(problem), {}, clusters_.size(), timer.seconds(), {}};
}

// True: go on. All clusters do as long as one of them has to.
bool ContactIsland::judge() {
  bool any = false, failed = false;
  Cluster::Outcome& all = outcome_.newton;
  const int iterations = all.iterations;
  all = {};
  all.iterations = iterations;
  for (Touching& c : clusters_) {
    any = (c.cluster != nullptr ? c.cluster->judge() : c.remote->running()) || any;
    const Cluster::Outcome& own = c.outcome();
    failed = failed || !own.converged;
    all.piece_iterations += own.piece_iterations;
    if (all.worst_object >= 0 && worse(all.residual, own.residual) == all.residual) continue;
    all.residual = own.residual;
    all.worst_object = own.worst_object;
    all.worst_piece = own.worst_piece;
    all.at_odds = own.at_odds;
    all.gap = own.gap;
  }
  all.converged = !failed;
  if (failed || !any) return false;
  for_each_cluster([](Touching& c) { c.cluster->keep_on(); });
  return true;
}

// The iterates that come first are far from where contacts will act.
double ContactIsland::tolerance_now(const ContactScene& scene) const {
  const double far = outcome_.newton.residual / sharp_below;
  return scene.tolerance() * (far > 1 && !finishing_ ? std::min(far, loosest) : 1);
}

// True: Newton's method has converged about contacts that were not sharp yet, and goes on with sharp ones.
bool ContactIsland::sharpen(const ContactScene& scene) {
  if (finishing_ || !outcome_.newton.converged || !(outcome_.error > scene.tolerance())) return false;
  for_each_cluster([](Touching& c) { c.cluster->keep_on(); });
  return finishing_ = true;
}

bool ContactIsland::solve(const ContactScene& scene, double dt) {
  if (thin_) {
    push(-1 / dt);
    set_free(scene, dt);
    if (pass_by(dt)) return true;
    return solve_whole(coupled() ? tolerance_now(scene) : scene.tolerance(), dt);
  }
  ask(IslandRequest::prepare);
  // What is held by bounded multipliers, such as limits of joints, is what contacts leave to them.
  bool ready = all_clusters([](Touching& c) { return c.cluster->factor(); });
  if (ready) push(-1 / dt);
  ready = ready && all_clusters([&](Touching& c) { return c.contacts->refresh(dt); });
  for (const auto& r : remote_) ready = r->read_factored() && ready;
  if (!ready) return false;
  set_free(scene, dt);
  const bool open = nothing_pushes() && stays_open();
  if (smooth_)
    solve_smooth(scene.tolerance());
  else if (recording_ && outcome_.newton.iterations == 0)
    solve_and_record(tolerance_now(scene));
  else if (!open)
    solve_contacts(tolerance_now(scene));
  move();
  push(1 / dt);
  for_each_cluster([](Touching& c) { c.cluster->solve_step(); });
  return true;
}

// Those elsewhere, with what pushes them.
void ContactIsland::move() {
  std::vector<const std::vector<NodeVector>*> impulses;
  for (const auto& r : remote_) {
    impulses.clear();
    for (std::size_t c = 0; c < clusters_.size(); ++c)
      if (clusters_[c].remote != nullptr && &clusters_[c].remote->all() == r.get()) impulses.push_back(&given_[c]);
    r->move(impulses);
  }
}

void ContactIsland::give(ContactScene& scene) {
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const Vec3d impulse = list_.contacts[k].impulse;
    scene.set_impulse(contacts_[k].contact, impulse);
    outcome_.closed += dot(impulse, impulse) > 0 ? 1 : 0;
  }
}

void ContactIsland::begin(Cluster& cluster, const Step& step) {
  cluster.set_noise(noise);
  cluster.begin(step);
  cluster.begin_elements();
  cluster.place();
  const ContactBlock* block = cluster.alone() ? cluster.block(0).contacts() : nullptr;
  cluster.set_still(block != nullptr && block->rigid() ? still : 0);
}

// Of the iterate, those of contacts among them.
void ContactIsland::find_forces(const ContactScene& scene, double dt) {
  ask(IslandRequest::assemble);
  for_each_cluster([](Touching& c) {
    c.cluster->assemble();
    c.cluster->evaluate();
  });
  if (smooth_ && outcome_.newton.iterations > 0) follow_laws(scene, dt);
  push(1 / dt);
}

// One body on colliders: along a step its energy, less what impulses do, is known by its slope. Of several bodies each
// would go another part of the way, and leave what it touches.
bool ContactIsland::may_descend() const { return clusters_.size() == 1 && remote_.empty() && !thin_ && !smooth_; }

void ContactIsland::begin_all(const Step& step, ContactScene& scene) {
  outcome_ = {};
  finishing_ = whole_begun_ = false;
  recorded_.reset();
  given_.clear();
  ask(IslandRequest::begin);
  for_each_cluster([&](Touching& c) {
    begin(*c.cluster, step);
    c.contacts.emplace(*c.cluster);
  });
  for (const auto& r : remote_) r->read_structure();
  leave_out_ties(scene);
  list_contacts(scene, step.dt);
  bodies_.clear();
  for (Touching& c : clusters_) bodies_.push_back(&c.body());
  find_laws(scene, step.dt);
  // Springs of contact make much of a small step.
  if (smooth_) for_each_cluster([](Touching& c) { c.cluster->set_still(0); });
}

void ContactIsland::iterate(const Step& step, ContactScene& scene) {
  if (smooth_ && !thin_) smooth_contacts_.begin(bodies_, list_, laws_, step.dt);
  if (!smooth_ && !thin_ && !few()) solver_.begin(bodies_, list_);
  for (bool there = false;;) {
    if (!there) find_forces(scene, step.dt);
    for (const auto& r : remote_) r->read_residuals();
    if (!judge() && !sharpen(scene)) break;
    if (!solve(scene, step.dt) || (trying_ && outcome_.status == ContactStatus::failed)) {
      outcome_.newton.converged = false;
      break;
    }
    there = may_descend();
    if (there)
      clusters_[0].cluster->descend([&] { find_forces(scene, step.dt); });
    else
      for_each_cluster([](Touching& c) { c.cluster->move(c.cluster->choose_share()); });
    ++outcome_.newton.iterations;
  }
}

ContactIsland::Outcome ContactIsland::advance(const Step& step, ContactScene& scene) {
  begin_all(step, scene);
  thin_ = whole();
  if (mixed_ && !thin_) throw Error(ExitCode::bad_input, mixed_among_inextensible);
  trying_ = thin_ && heap();
  if (trying_) {
    thin_ = false;
    iterate(step, scene);
    trying_ = false;
    if (!outcome_.newton.converged || outcome_.status != ContactStatus::solved) {
      begin_all(step, scene);
      thin_ = true;
      iterate(step, scene);
    }
  } else {
    iterate(step, scene);
  }
  if (smooth_) look_for_closed_barriers(scene, step.dt);
  give(scene);
  for (const auto& r : remote_) r->end();
  for_each_cluster([](Touching& c) { c.cluster->end(); });
  return outcome_;
}

}  // namespace ymir
