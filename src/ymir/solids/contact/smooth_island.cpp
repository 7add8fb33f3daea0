// Contacts of an island that give a little.
#include <algorithm>

#include "ymir/base/log.h"
#include "ymir/solids/contact/contact_island.h"

namespace ymir {
namespace {

// Of the tolerance, what penalties and barriers are solved to; where there are few, so far that Newton's method of the
// bodies converges as fast as without them.
constexpr double sharper = 0.1, sharpest = 1e-3;

}  // namespace

void ContactIsland::find_laws(const ContactScene& scene, double dt) {
  laws_.assign(contacts_.size(), {});
  smooth_ = mixed_ = false;
  const auto is_smooth = [&](const Touch& touch) { return scene.law(scene.contacts()[touch.contact], 0, dt).smooth(); };
  if (std::none_of(contacts_.begin(), contacts_.end(), is_smooth)) return;
  std::vector<std::size_t> first{0};
  std::vector<NodeMetric> metric;
  for (const NodalBody* body : bodies_) {
    metric.resize(first.back() + static_cast<std::size_t>(body->nodes()));
    body->describe(std::span(metric).subspan(first.back()));
    first.push_back(metric.size());
  }
  std::size_t count = 0;
  for (std::size_t k = 0; k < laws_.size(); ++k) {
    NodeContact& c = list_.contacts[k];
    double compliance = 0;
    for (const ContactNode& n : list_.nodes_of(c))
      compliance += n.weight * n.weight *
                    metric[first[static_cast<std::size_t>(n.body)] + static_cast<std::size_t>(n.node)].compliance;
    laws_[k] = scene.law(scene.contacts()[contacts_[k].contact], compliance, dt);
    if (!laws_[k].smooth()) continue;
    ++count;
    c.cohesion = 0;
  }
  smooth_ = true;
  mixed_ = count < laws_.size();
}

// Forces of the law at the iterate, so that what is left is that of all energies.
void ContactIsland::follow_laws(const ContactScene& scene, double dt) {
  set_free(scene, dt);
  if (thin_)
    whole_.evaluate(list_);
  else
    smooth_contacts_.evaluate(list_);
  collect();
  for (std::size_t c = 0; c < clusters_.size(); ++c) clusters_[c].contacts->add_levers(given_[c], 1 / dt);
}

void ContactIsland::solve_smooth(double tolerance) {
  if (recording_ && outcome_.newton.iterations == 0)
    log::warn("--dump-contacts: contacts by penalties and barriers are left out");
  const SmoothContacts::Report report = smooth_contacts_.solve(list_, (few() ? sharpest : sharper) * tolerance);
  note(report.error, report.iterations, report.worst, tolerance);
  collect();
}

// A load beyond all measure, or what could not be held back: the substep is to be shorter.
void ContactIsland::look_for_closed_barriers(const ContactScene& scene, double dt) {
  set_free(scene, dt);
  for (std::size_t k = 0; k < laws_.size(); ++k) {
    if (laws_[k].response != ContactResponse::barrier || laws_[k].stiffness == 0) continue;
    const NodeContact& c = list_.contacts[k];
    if (dot(c.free, c.normal) > 0) continue;
    outcome_.status = ContactStatus::failed;
    outcome_.error = 1;
    outcome_.worst_contact = contacts_[k].contact;
  }
}

}  // namespace ymir
