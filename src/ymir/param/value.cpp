#include "ymir/param/value.h"

#include <algorithm>
#include <utility>

namespace ymir {

bool operator==(const ParamValues& a, const ParamValues& b) {
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                    [](const NamedValue& x, const NamedValue& y) { return x.name == y.name && x.value == y.value; });
}

const ParamValue* find_value(const ParamValues& values, std::string_view name) {
  for (const NamedValue& item : values.items)
    if (item.name == name) return &item.value;
  return nullptr;
}

void set_value(ParamValues& values, std::string_view name, ParamValue value) {
  for (NamedValue& item : values.items)
    if (item.name == name) {
      item.value = std::move(value);
      return;
    }
  values.items.push_back({std::string(name), std::move(value)});
}

}  // namespace ymir
