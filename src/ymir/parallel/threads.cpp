#include "ymir/parallel/threads.h"

#include <omp.h>

namespace ymir {

int threads() { return omp_get_max_threads(); }

int thread_index() { return omp_get_thread_num(); }
void set_threads(int count) { omp_set_num_threads(count > 0 ? count : omp_get_num_procs()); }

}  // namespace ymir
