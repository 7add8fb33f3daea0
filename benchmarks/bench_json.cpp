#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench.h"

namespace ymir::bench {

std::string to_json(const BenchRow& r) {
  nlohmann::ordered_json row{{"commit", r.commit}, {"machine", r.machine}, {"scene", r.scene},
                             {"solver", r.solver}, {"ranks", r.ranks},     {"threads", r.threads}};
  if (!r.left_out.empty()) {
    row["left_out"] = r.left_out;
    return row.dump();
  }
  row.update({{"elements", r.elements},
              {"setup_s", r.setup_s},
              {"s_per_step", r.s_per_step},
              {"ns_per_element", r.ns_per_element},
              {"iterations", r.iterations},
              {"residual", r.residual},
              {"peak_MB", r.peak_MB},
              {"hash", fmt::format("{:016x}", r.hash)}});
  for (const auto& [name, value] : r.figures) row[name] = value;
  return row.dump();
}

}  // namespace ymir::bench
