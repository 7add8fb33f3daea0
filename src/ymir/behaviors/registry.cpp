#include "ymir/behaviors/registry.h"

#include "ymir/base/check.h"
#include "ymir/param/varying_params.h"

namespace ymir {

const BehaviorType* Registry::find(std::string_view name) const {
  for (const BehaviorType& type : types_)
    if (type.schema.name == name) return &type;
  return nullptr;
}

void Registry::add(BehaviorType type) {
  const std::string& name = type.schema.name;
  YMIR_CHECK(find(name) == nullptr);
  YMIR_CHECK(name != "group" && name != "with" && name != "enabled");
  YMIR_CHECK(type.schema.category != Category::section);
  types_.push_back(std::move(type));
}

SchemaInfo Registry::varying_parameters() const {
  SchemaInfo table;
  table.name = "overrides";
  table.doc = "Parameters that behaviors take from this object instead of their own.";
  for (const BehaviorType& type : types_)
    for (ParamInfo& p : varying_params(type.schema))
      if (table.find(p.name) == nullptr) {
        p.only_when.clear();  // about other parameters of the behavior
        table.params.push_back(std::move(p));
      }
  return table;
}

}  // namespace ymir
