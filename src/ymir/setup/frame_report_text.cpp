#include "ymir/setup/frame_report_text.h"

#include <nlohmann/json.hpp>

namespace ymir {

std::string to_json_text(const FrameReport& report) {
  using Json = nlohmann::ordered_json;
  Json in_stages = Json::object(), objects = Json::object();
  for (const StageInfo& stage : stages)
    if (const double seconds = report.stage[static_cast<std::size_t>(stage.stage)]; seconds > 0)
      in_stages[std::string(stage.name)] = seconds;
  for (const auto& [path, r] : report.objects)
    objects[path] = {{"solves", r.solves},
                     {"iterations", r.iterations},
                     {"unconverged", r.unconverged},
                     {"retries", r.retries},
                     {"cg_iterations", r.cg_iterations},
                     {"direct_solves", r.direct_solves},
                     {"contacts", r.contacts},
                     {"contact_iterations", r.contact_iterations},
                     {"contacts_found", r.contacts_found},
                     {"residual", r.residual},
                     {"worst", r.worst},
                     {"speed", r.speed},
                     {"courant", r.courant},
                     {"stretch", r.stretch},
                     {"penetration", r.penetration},
                     {"crushed", r.crushed}};
  const Json json{{"ymir_report", 1},
                  {"frame", report.frame},
                  {"elements", report.elements},
                  {"substeps", report.substeps},
                  {"undone", report.undone},
                  {"reason", report.reason},
                  {"cut_short", report.cut_short},
                  {"unconverged", report.unconverged()},
                  {"seconds", report.seconds},
                  {"stages", in_stages},
                  {"peak_memory", report.peak_memory},
                  {"objects", objects}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ymir
