// What every program of the comparison measures in the same way: wall time, CPU time and memory of this process.
#pragma once

#include <malloc.h>
#include <sys/resource.h>
#include <time.h>

#include <cstdio>
#include <cstring>

namespace peers {

inline double wall_seconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

inline double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

// "VmRSS" (now) or "VmHWM" (the most since reset_peak_memory) [MB]
inline double memory_MB(const char* name) {
  double kilobytes = 0;
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  for (char line[256]; std::fgets(line, sizeof line, file) != nullptr;)
    if (std::strncmp(line, name, std::strlen(name)) == 0) std::sscanf(line + std::strlen(name) + 1, "%lf", &kilobytes);
  std::fclose(file);
  return kilobytes / 1024;
}

// Memory held now, without what was freed.
inline double memory_now_MB() {
  malloc_trim(0);
  return memory_MB("VmRSS");
}

inline void reset_peak_memory() {
  if (std::FILE* file = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", file);
    std::fclose(file);
  }
}

struct Lap {
  double wall, cpu;
};

class Clock {
 public:
  Lap lap() const { return {wall_seconds() - wall_, cpu_seconds() - cpu_}; }

 private:
  double wall_ = wall_seconds(), cpu_ = cpu_seconds();
};

struct Result {
  Lap setup{}, solve{};
  int iterations = 0;
  double matrix_MB = 0;  // matrix, right side and solution in the solver's own format
  double solver_MB = 0;  // the most on top of that during setup and solve
};

inline void print(const Result& r) {
  std::printf(
      "{\"setup_s\": %.4f, \"setup_cpu_s\": %.4f, \"solve_s\": %.4f, \"solve_cpu_s\": %.4f, "
      "\"iterations\": %d, \"matrix_MB\": %.1f, \"solver_MB\": %.1f}\n",
      r.setup.wall, r.setup.cpu, r.solve.wall, r.solve.cpu, r.iterations, r.matrix_MB, r.solver_MB);
}

}  // namespace peers
