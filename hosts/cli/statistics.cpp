#include "statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "progress.h"
#include "ymir/base/log.h"

namespace ymir::cli {
namespace {

using Json = nlohmann::ordered_json;

// The reports in order of frames. One that cannot be read is named and left out: it is no part of the result.
std::vector<Json> read_reports(const Cache& cache) {
  std::vector<Json> reports;
  for (const CacheEntry& entry : cache.frames()) {
    const auto text = cache.read_report(entry.number);
    if (!text) continue;
    Json report = Json::parse(*text, nullptr, false);
    if (report.is_object() && report.value("ymir_report", 0) == 1)
      reports.push_back(std::move(report));
    else
      log::warn(fmt::format("{}: the report of frame {} cannot be read", cache.folder().string(), entry.number));
  }
  return reports;
}

double real(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}
std::int64_t count(const Json& object, const char* key) { return static_cast<std::int64_t>(real(object, key)); }

const Json& child(const Json& object, const char* key) {
  static const Json none = Json::object();
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : none;
}

// The stage that took longest.
std::string slowest(const Json& report) {
  std::string name = "-";
  double most = 0;
  for (const auto& [stage, seconds] : child(report, "stages").items())
    if (seconds.is_number() && seconds.get<double>() > most) {
      most = seconds.get<double>();
      name = fmt::format("{} {:.0f} %", stage, 100 * most / std::max(real(report, "seconds"), 1e-9));
    }
  return name;
}

void print_frames(const std::vector<Json>& reports) {
  std::cout << fmt::format("{:>7} {:>9} {:>8} {:>7} {:>12} {:>10}  {}\n", "frame", "seconds", "substeps", "undone",
                           "unconverged", "memory MB", "longest stage");
  for (const Json& r : reports)
    std::cout << fmt::format("{:>7} {:>9.3f} {:>8} {:>7} {:>12} {:>10.0f}  {}\n", count(r, "frame"), real(r, "seconds"),
                             count(r, "substeps"), count(r, "undone"), count(r, "unconverged"),
                             real(r, "peak_memory") / 1e6, slowest(r));
}

// Over all frames: sums of counts, extremes of the rest.
void print_objects(const std::vector<Json>& reports) {
  struct Row {
    std::int64_t solves = 0, iterations = 0, unconverged = 0, retries = 0, cg_iterations = 0, direct_solves = 0;
    std::int64_t contacts = 0, contacts_found = 0, contact_iterations = 0, substeps = 0;
    double residual = 0, speed = 0, courant = 0, stretch = 0, penetration = 0, crushed = 0;
  };
  std::map<std::string, Row> rows;
  for (const Json& report : reports)
    for (const auto& [path, o] : child(report, "objects").items()) {
      if (!o.is_object()) continue;
      Row& row = rows[path];
      row.solves += count(o, "solves");
      row.iterations += count(o, "iterations");
      row.unconverged += count(o, "unconverged");
      row.retries += count(o, "retries");
      row.cg_iterations += count(o, "cg_iterations");
      row.direct_solves += count(o, "direct_solves");
      row.contacts += count(o, "contacts");
      row.contacts_found += count(o, "contacts_found");
      row.contact_iterations += count(o, "contact_iterations");
      row.substeps += count(report, "substeps");
      row.residual = std::max(row.residual, real(o, "residual"));
      row.speed = std::max(row.speed, real(o, "speed"));
      row.courant = std::max(row.courant, real(o, "courant"));
      row.stretch = std::max(row.stretch, real(o, "stretch"));
      row.penetration = std::max(row.penetration, real(o, "penetration"));
      row.crushed = std::max(row.crushed, real(o, "crushed"));
    }
  std::cout << fmt::format("\n{:<28} {:>12} {:>10} {:>11} {:>8} {:>9} {:>10} {:>8} {:>9} {:>9}\n", "object", "solves",
                           "iterations", "unconverged", "retries", "residual", "speed m/s", "courant", "stretch",
                           "depth mm");
  for (const auto& [path, r] : rows)
    if (r.solves > 0 || r.speed > 0)
      std::cout << fmt::format(
          "{:<28} {:>12} {:>10.1f} {:>11} {:>8} {:>9.1e} {:>10.3g} {:>8.2f} {:>9.1e} {:>9.3f}\n", path,
          grouped(r.solves),
          static_cast<double>(r.iterations) / static_cast<double>(std::max<std::int64_t>(r.solves, 1)), r.unconverged,
          r.retries, r.residual, r.speed, r.courant, r.stretch, 1e3 * r.penetration);
  for (const auto& [path, r] : rows)
    if (r.cg_iterations > 0 || r.direct_solves > 0)
      std::cout << fmt::format("{}: {} iterations of conjugate gradients, {} linear systems left to a factor\n", path,
                               grouped(r.cg_iterations), grouped(r.direct_solves));
  for (const auto& [path, r] : rows)
    if (r.contacts_found > 0)
      std::cout << fmt::format(
          "{}: {} contacts per substep, of which {} carried something, {} iterations of their solver\n", path,
          grouped(r.contacts_found / std::max<std::int64_t>(r.substeps, 1)),
          grouped(r.contacts / std::max<std::int64_t>(r.substeps, 1)), grouped(r.contact_iterations));
  for (const auto& [path, r] : rows)
    if (r.crushed > 0)
      std::cout << fmt::format("{}: {:.0f} cells crushed or turned inside out at once, at most\n", path, r.crushed);
}

}  // namespace

void print_statistics(const Cache& cache, bool json) {
  const std::vector<Json> reports = read_reports(cache);
  if (json) {
    std::cout << Json{{"kind", "statistics"}, {"reports", reports}}.dump(2, ' ', false, Json::error_handler_t::replace)
              << "\n";
    return;
  }
  if (reports.empty()) {
    std::cout << "no reports: this cache was written by an earlier version, or its report_*.json were removed\n";
    return;
  }
  print_frames(reports);
  print_objects(reports);
}

}  // namespace ymir::cli
