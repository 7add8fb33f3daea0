#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench.h"

namespace ymir::bench {

std::string to_json(const std::vector<BenchRow>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const BenchRow& r : rows) {
    list.push_back({{"commit", r.commit},
                    {"machine", r.machine},
                    {"scene", r.scene},
                    {"solver", r.solver},
                    {"ranks", r.ranks},
                    {"threads", r.threads},
                    {"elements", r.elements},
                    {"setup_s", r.setup_s},
                    {"s_per_step", r.s_per_step},
                    {"ns_per_element", r.ns_per_element},
                    {"iterations", r.iterations},
                    {"residual", r.residual},
                    {"peak_MB", r.peak_MB},
                    {"hash", fmt::format("{:016x}", r.hash)}});
    for (const auto& [name, value] : r.figures) list.back()[name] = value;
  }
  return nlohmann::ordered_json{{"rows", std::move(list)}}.dump(2) + "\n";
}

}  // namespace ymir::bench
