// Blocks of nodes that stay in a core's cache while the contacts within a block are swept.
//
// Pieces that contacts connect are gathered breadth first until a block is full, in an order that depends on the list
// of contacts alone; pieces too large for that are cut into ranges of nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/solvers/nodal_contact/node_contact.h"

namespace ymir {

// first_node: of each body; pieces: first node of each piece of all bodies, and the number of nodes. Result: the block
// of each node.
std::vector<std::int32_t> contact_blocks(const ContactList& list, std::span<const std::int32_t> first_node,
                                         std::span<const std::int32_t> pieces);

}  // namespace ymir
