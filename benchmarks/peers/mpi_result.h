// Ranks of a peer: times of the slowest, CPU time and memory of all together; the solution gathered on rank 0.
#pragma once

#include <mpi.h>

#include "matrix_file.h"
#include "measure.h"

namespace peers {

inline void print_of_all_ranks(const Result& mine) {
  const auto all = [](double value, MPI_Op op) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    return value;
  };
  Result r = mine;
  r.setup = {all(mine.setup.wall, MPI_MAX), all(mine.setup.cpu, MPI_SUM)};
  r.solve = {all(mine.solve.wall, MPI_MAX), all(mine.solve.cpu, MPI_SUM)};
  r.matrix_MB = all(mine.matrix_MB, MPI_SUM);
  r.solver_MB = all(mine.solver_MB, MPI_SUM);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) print(r);
}

inline void write_solution_of_all_ranks(const char* path, const std::vector<double>& mine) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int count = static_cast<int>(mine.size());
  std::vector<int> counts(static_cast<std::size_t>(ranks)), places(counts.size(), 0);
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (std::size_t i = 1; i < counts.size(); ++i) places[i] = places[i - 1] + counts[i - 1];
  std::vector<double> all(rank == 0 ? static_cast<std::size_t>(places.back() + counts.back()) : 0);
  MPI_Gatherv(mine.data(), count, MPI_DOUBLE, all.data(), counts.data(), places.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) write_solution(path, all);
}

}  // namespace peers
