// Marks a function for CPU and GPU: physics/ and math/ share one body for both.
#pragma once

#ifdef __CUDACC__
#define YMIR_HD __host__ __device__
#else
#define YMIR_HD
#endif
