#include "ymir/parallel/threads.h"

#include <fmt/format.h>
#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <vector>

#include "ymir/base/log.h"
#include "ymir/parallel/thread_limits.h"

namespace ymir {
namespace {

// The pool is filled at once, while there is room for the stacks.
void start_pool(int count) {
#pragma omp parallel num_threads(count)
  {}
}

}  // namespace

// OpenMP ends the program when a thread cannot be started, so it is asked for no more than have been seen to start.
int startable_threads(int wanted) {
  struct Gate {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static void* pass(void* gate) {
      auto* mutex = &static_cast<Gate*>(gate)->mutex;
      pthread_mutex_lock(mutex);
      pthread_mutex_unlock(mutex);
      return nullptr;
    }
  } gate;
  std::vector<pthread_t> started;
  started.reserve(static_cast<std::size_t>(wanted));
  pthread_mutex_lock(&gate.mutex);  // all of them are alive at once
  for (int i = 0; i < wanted; ++i) {
    pthread_t thread{};
    if (pthread_create(&thread, nullptr, Gate::pass, &gate) != 0) break;
    started.push_back(thread);
  }
  pthread_mutex_unlock(&gate.mutex);
  for (const pthread_t thread : started) pthread_join(thread, nullptr);
  return static_cast<int>(started.size());
}

int threads() { return omp_get_max_threads(); }

int thread_index() { return omp_get_thread_num(); }

void set_threads(int count) {
  static int proven = 1;
  const int wanted = count > 0 ? count : omp_get_num_procs();
  int usable = wanted;
  if (wanted > proven) {
    // Twice: Embree has threads of its own. Where that is too many, a quarter of what there is, since OpenMP ends
    // threads and starts them again, and others may have taken their place meanwhile.
    const int twice = 2 * (wanted - 1), startable = startable_threads(twice);
    if (startable < twice) usable = 1 + std::max(0, startable - 2) / 4;
    proven = std::max(proven, usable);
    if (usable < wanted)
      log::warn(fmt::format("the system lets {} of {} threads start (ulimit -u, -v); going on with {}", usable, wanted,
                            usable));
    start_pool(usable);
  }
  omp_set_num_threads(usable);
}

}  // namespace ymir
