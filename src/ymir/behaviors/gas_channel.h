// A channel of a gas that a user has named.
#pragma once

#include <string>

namespace ymir {

class Scope;
class VolumeObject;

// Why a material of the gas cannot have this name; "": it can.
std::string name_problem(const VolumeObject& gas, const std::string& name);
// Refuses a behavior that changes a channel which nothing makes, once all behaviors are there: `densty` would be a new
// one, and nothing would happen to the smoke.
void require_channel(Scope& scope, const VolumeObject& gas, const std::string& channel);

}  // namespace ymir
