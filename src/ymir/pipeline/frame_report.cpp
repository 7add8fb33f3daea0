#include "ymir/pipeline/frame_report.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstring>
#include <iterator>

namespace ymir {

std::int64_t FrameReport::unconverged() const {
  std::int64_t count = cut_short;
  for (const Entry& entry : objects) count += entry.report.unconverged;
  return count;
}

std::string FrameReport::trouble() const {
  const Entry* worst = nullptr;
  for (const Entry& entry : objects)
    if (entry.report.unconverged > 0 && (worst == nullptr || entry.report.residual > worst->report.residual))
      worst = &entry;
  if (worst != nullptr)
    return fmt::format("{}: {} of {} solves accepted above tolerance ({}, residual {:.2g})", worst->object,
                       worst->report.unconverged, worst->report.solves, worst->report.worst, worst->report.residual);
  if (cut_short > 0)
    return fmt::format(
        "coupled objects had not settled in {} of {} substeps; allow more `newton_iterations` in `time:`", cut_short,
        substeps);
  return {};
}

ObjectReport joined(const ObjectReport& mine, Communicator& communicator) {
  if (communicator.size() == 1) return mine;
  // Numbers first, then the text of the worst part.
  const std::int64_t counts[] = {mine.solves,   mine.iterations,         mine.unconverged,
                                 mine.retries,  mine.cg_iterations,      mine.direct_solves,
                                 mine.contacts, mine.contact_iterations, mine.contacts_found};
  const double extremes[] = {mine.residual, mine.speed, mine.courant, mine.stretch, mine.penetration, mine.crushed};
  Bytes packed(sizeof counts + sizeof extremes + mine.worst.size());
  std::memcpy(packed.data(), counts, sizeof counts);
  std::memcpy(packed.data() + sizeof counts, extremes, sizeof extremes);
  std::memcpy(packed.data() + sizeof counts + sizeof extremes, mine.worst.data(), mine.worst.size());
  ObjectReport all;
  for (const Bytes& bytes : communicator.all_gather(packed)) {
    std::int64_t c[std::size(counts)];
    double e[std::size(extremes)];
    std::memcpy(c, bytes.data(), sizeof c);
    std::memcpy(e, bytes.data() + sizeof c, sizeof e);
    const char* text = reinterpret_cast<const char*>(bytes.data()) + sizeof c + sizeof e;
    all.join({c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], e[0],
              std::string(text, bytes.size() - sizeof c - sizeof e), e[1], e[2], e[3], e[4], e[5]});
  }
  return all;
}

std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;  // Linux counts in KiB
}

}  // namespace ymir
