#include "bench.h"

#include <iostream>

#include "commands.h"

namespace ymir::cli {

ExitCode bench(const BenchArguments& arguments) {
  const std::vector<bench::BenchRow> rows = bench::run_benchmark(arguments.name, {.quick = arguments.quick});
  if (!Communicator::world().root()) return ExitCode::ok;
  std::cout << (arguments.json ? bench::to_json(rows) + "\n"
                               : bench::to_table(rows) + bench::to_figures(rows) + bench::to_comparison(rows));
  return ExitCode::ok;
}

}  // namespace ymir::cli
