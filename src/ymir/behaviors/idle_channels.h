// Channels of an input that look like values of parameters, on objects that take none from data.
#pragma once

#include <initializer_list>
#include <string>

#include "ymir/data/channels.h"

namespace ymir {

class Scope;

// Warns of every channel with the name of a parameter that data may override, and of those of the behavior `own`,
// except `taken`. `remedy` follows the name.
void warn_of_idle_channels(Scope& scope, std::initializer_list<const Channels*> channels, const std::string& input,
                           const std::string& own, const std::string& taken, const std::string& remedy);

}  // namespace ymir
