// Of many contacts those that push, condensed: what a splitting has left of them.
#pragma once

#include <optional>
#include <span>

#include "ymir/solvers/coulomb/coulomb_solver.h"
#include "ymir/solvers/nodal_contact/node_contact.h"
#include "ymir/solvers/nodal_contact/nodal_body.h"

namespace ymir {

// The one-step problem of contacts that push, or that would be closed without it, condensed (condensed_contacts.h)
// where they are not too many to be condensed: what a splitting has left above its tolerance. Nothing: they are, or
// others keep being closed; impulses are as they were.
std::optional<CoulombReport> solve_active(ContactList& list, std::span<NodalBody* const> bodies, double tolerance);

}  // namespace ymir
