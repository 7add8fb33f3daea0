// How a frame went: work, time and memory of the whole simulation, and a report per Object. Numbers of Objects are the
// same on every rank; seconds and memory are of the machine and differ from run to run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ymir/parallel/communicator.h"
#include "ymir/pipeline/object_report.h"
#include "ymir/pipeline/stage.h"

namespace ymir {

struct FrameReport {
  struct Entry {
    std::string object;  // path
    ObjectReport report;
  };
  std::int64_t frame = 0;
  std::int64_t elements = 0;
  std::int64_t substeps = 0;
  std::int64_t undone = 0;     // substeps that were rolled back and halved
  std::int64_t cut_short = 0;  // substeps whose passes over coupled objects ended before they had settled
  std::string reason;          // why the last of the undone substeps was undone
  std::vector<Entry> objects;

  double seconds = 0;                         // wall-clock, of the whole frame
  std::array<double, stages.size()> stage{};  // of which in each Stage
  std::int64_t peak_memory = 0;               // of the largest rank since it started [bytes]

  // Solves accepted above their tolerance and substeps cut short: what `--strict` stops at.
  std::int64_t unconverged() const;
  // "Hair/curves_object: 3 of 40,000 solves above tolerance (strand 3887, residual 0.02)", of the worst object.
  std::string trouble() const;
};

// One object's numbers of all ranks. Collective.
ObjectReport joined(const ObjectReport& mine, Communicator& communicator);

// Largest resident memory of this process so far [bytes].
std::int64_t peak_memory();

}  // namespace ymir
