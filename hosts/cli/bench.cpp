#include "bench.h"

#include <fmt/format.h>

#include <iostream>

#include "commands.h"
#include "progress.h"

namespace ymir::cli {
namespace {

// Rows go out as they are measured, so that a benchmark that is cut off has told what it knew.
class Printed {
 public:
  explicit Printed(const BenchArguments& arguments) : json_(arguments.json), progress_("bench " + arguments.name) {}

  bench::BenchRows::Listener listener() {
    return {.row = [this](const bench::BenchRow& row) { print(row); },
            .progress = [this](double left) { progress_.update(fmt::format("{} rows", rows_), left); }};
  }
  void end(const std::vector<bench::BenchRow>& rows) {
    progress_.clear();
    if (!root_) return;
    if (json_)
      std::cout << (rows_ == 0 ? R"({"rows": [)" : "\n") << "]}\n";
    else
      std::cout << bench::to_figures(rows) + bench::to_comparison(rows);
  }

 private:
  void print(const bench::BenchRow& row) {
    if (!root_) return;
    progress_.clear();
    if (json_)
      std::cout << (rows_ == 0 ? "{\"rows\": [\n" : ",\n") << bench::to_json(row);
    else
      std::cout << (rows_ == 0 ? bench::table_head() : "") << bench::table_line(row);
    std::cout.flush();
    ++rows_;
  }

  bool json_, root_ = Communicator::world().root();
  Countdown progress_;
  int rows_ = 0;
};

}  // namespace

ExitCode bench(const BenchArguments& arguments) {
  Printed printed(arguments);
  bench::BenchRows rows(printed.listener());
  bench::run_benchmark(arguments.name, {.quick = arguments.quick}, rows);
  printed.end(rows.all());
  return ExitCode::ok;
}

}  // namespace ymir::cli
