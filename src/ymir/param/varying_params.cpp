#include "ymir/param/varying_params.h"

namespace ymir {

std::vector<ParamInfo> varying_params(const SchemaInfo& schema) {
  std::vector<ParamInfo> found;
  for (const ParamInfo& p : schema.params) {
    if (p.varying) found.push_back(p);
    if (p.type != ParamType::nested) continue;
    for (ParamInfo inner : varying_params(*p.fields)) {
      inner.name = p.name + "_" + inner.name;
      found.push_back(std::move(inner));
    }
  }
  return found;
}

}  // namespace ymir
