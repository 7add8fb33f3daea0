#include "ymir/behaviors/registry.h"

#include "ymir/base/check.h"

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
    for (const ParamInfo& p : type.schema.params)
      if (p.varying && table.find(p.name) == nullptr) {
        table.params.push_back(p);
        table.params.back().only_when.clear();  // about other parameters of the behavior
      }
  return table;
}

}  // namespace ymir
