#include <cstdint>
#include <cstdlib>
#include <span>

#include "ymir/base/error.h"
#include "ymir/cache/formats/fclib.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const ymir::FclibProblem p = ymir::read_fclib(std::as_bytes(std::span(data, size)), "fuzz");
    if (p.mu.empty() || (!p.global && p.q.size() != 3 * p.mu.size())) std::abort();
    for (const ymir::FclibMatrix* m : {&p.w, &p.m, &p.h})
      for (std::size_t k = 0; k < m->value.size(); ++k)
        if (m->row[k] < 0 || m->row[k] >= m->rows || m->column[k] < 0 || m->column[k] >= m->columns) std::abort();
  } catch (const ymir::Error&) {
  }
  return 0;
}
