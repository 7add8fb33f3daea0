#include "ymir/cache/formats/fclib.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ymir/base/check.h"
#include "ymir/base/error.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/formats/bounded_reader.h"
#include "ymir/cache/formats/hdf5_classic.h"

namespace ymir {
namespace {

constexpr std::int32_t by_columns = -1, by_rows = -2;

class FclibReader {
 public:
  FclibReader(std::span<const std::byte> bytes, std::string name) : file_(bytes, std::move(name)) {}
  FclibProblem read();

 private:
  std::int32_t number(const std::string& path, std::int32_t least) const;
  std::vector<double> vector(const std::string& path, std::size_t count) const;
  FclibMatrix matrix(const std::string& path) const;
  void expand(const std::string& path, std::int32_t count, const std::vector<std::int32_t>& starts,
              std::vector<std::int32_t>& to, std::size_t values) const;

  Hdf5ClassicReader file_;
};

std::int32_t FclibReader::number(const std::string& path, std::int32_t least) const {
  const std::vector<std::int32_t> values = file_.integers(path);
  if (values.size() != 1) file_.fail(path, "is not one number");
  if (values[0] < least) file_.fail(path, fmt::format("is {}, but must be {} or more", values[0], least));
  return values[0];
}

std::vector<double> FclibReader::vector(const std::string& path, std::size_t count) const {
  std::vector<double> values = file_.reals(path);
  if (values.size() != count)
    file_.fail(path, fmt::format("has {} values, but the matrix needs {}; the problem is inconsistent: export it again",
                                 values.size(), count));
  for (std::size_t i = 0; i < count; ++i)
    if (!std::isfinite(values[i])) file_.fail(path, fmt::format("value {} is not a finite number", i));
  return values;
}

// Starts of rows or columns into the number of every entry.
void FclibReader::expand(const std::string& path, std::int32_t count, const std::vector<std::int32_t>& starts,
                         std::vector<std::int32_t>& to, std::size_t values) const {
  if (starts.size() < static_cast<std::size_t>(count) + 1 || starts[0] != 0)
    file_.fail(path + "/p", fmt::format("does not hold the {} starts of a matrix of {}", count + 1, count));
  for (std::int32_t k = 0; k < count; ++k) {
    if (starts[k + 1] < starts[k] || static_cast<std::size_t>(starts[k + 1]) > values)
      file_.fail(path + "/p", fmt::format("value {} is out of order or beyond the {} entries", k + 1, values));
    to.insert(to.end(), static_cast<std::size_t>(starts[k + 1] - starts[k]), k);
  }
}

FclibMatrix FclibReader::matrix(const std::string& path) const {
  FclibMatrix a;
  a.rows = number(path + "/m", 0);
  a.columns = number(path + "/n", 0);
  const std::int32_t layout = number(path + "/nz", by_rows);
  std::vector<std::int32_t> p = file_.integers(path + "/p"), i = file_.integers(path + "/i");
  std::vector<double> x = file_.reals(path + "/x");
  if (layout >= 0) {
    a.row = std::move(i);
    a.column = std::move(p);
    for (std::vector<std::int32_t>* list : {&a.row, &a.column})
      if (list->size() > static_cast<std::size_t>(layout)) list->resize(static_cast<std::size_t>(layout));
    if (x.size() > static_cast<std::size_t>(layout)) x.resize(static_cast<std::size_t>(layout));
  } else if (layout == by_rows) {
    expand(path, a.rows, p, a.row, std::min(i.size(), x.size()));
    a.column = std::move(i);
    a.column.resize(a.row.size());
    x.resize(a.row.size());
  } else {
    expand(path, a.columns, p, a.column, std::min(i.size(), x.size()));
    a.row = std::move(i);
    a.row.resize(a.column.size());
    x.resize(a.column.size());
  }
  if (a.row.size() != x.size() || a.column.size() != x.size())
    file_.fail(path, fmt::format("has {} rows, {} columns and {} values of entries; export it again", a.row.size(),
                                 a.column.size(), x.size()));
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  for (const std::size_t k : order) {
    if (a.row[k] < 0 || a.row[k] >= a.rows || a.column[k] < 0 || a.column[k] >= a.columns)
      file_.fail(path, fmt::format("entry {} is at row {}, column {}, outside of {} by {}", k, a.row[k], a.column[k],
                                   a.rows, a.columns));
    if (!std::isfinite(x[k])) file_.fail(path + "/x", fmt::format("value {} is not a finite number", k));
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t s, std::size_t t) {
    return a.row[s] != a.row[t] ? a.row[s] < a.row[t] : a.column[s] < a.column[t];
  });
  FclibMatrix sorted{a.rows, a.columns, {}, {}, {}};
  for (const std::size_t k : order) {
    if (!sorted.row.empty() && sorted.row.back() == a.row[k] && sorted.column.back() == a.column[k]) {
      sorted.value.back() += x[k];
      continue;
    }
    sorted.row.push_back(a.row[k]);
    sorted.column.push_back(a.column[k]);
    sorted.value.push_back(x[k]);
  }
  return sorted;
}

FclibProblem FclibReader::read() {
  FclibProblem problem;
  problem.global = !file_.has("/fclib_local");
  if (problem.global && !file_.has("/fclib_global"))
    file_.fail("/", "has neither /fclib_local nor /fclib_global: this is no problem in FCLIB's layout");
  const std::string root = problem.global ? "/fclib_global" : "/fclib_local";
  for (const char* constraint : {"/V", "/R", "/G"})
    if (file_.has(root + constraint))
      file_.fail(root + constraint, "equality constraints are not supported; eliminate them first");
  if (const std::int32_t dimension = number(root + "/spacedim", 2); dimension != 3)
    file_.fail(root + "/spacedim", fmt::format("is {}, but only problems of 3 dimensions can be read", dimension));
  std::int32_t rows = 0;
  if (problem.global) {
    problem.m = matrix(root + "/M");
    problem.h = matrix(root + "/H");
    rows = problem.h.columns;
    if (problem.m.rows != problem.m.columns || problem.h.rows != problem.m.rows)
      file_.fail(root, "M is not square, or H has another number of rows; export it again");
    problem.f = vector(root + "/vectors/f", static_cast<std::size_t>(problem.m.rows));
    problem.offset = vector(root + "/vectors/w", static_cast<std::size_t>(rows));
  } else {
    problem.w = matrix(root + "/W");
    rows = problem.w.rows;
    if (problem.w.columns != rows)
      file_.fail(root + "/W", fmt::format("is not square: {} by {}", rows, problem.w.columns));
    problem.q = vector(root + "/vectors/q", static_cast<std::size_t>(rows));
  }
  if (rows == 0 || rows % 3 != 0) file_.fail(root, fmt::format("{} rows are not three per contact", rows));
  problem.mu = vector(root + "/vectors/mu", static_cast<std::size_t>(rows / 3));
  for (std::size_t i = 0; i < problem.mu.size(); ++i)
    if (problem.mu[i] < 0) file_.fail(root + "/vectors/mu", fmt::format("value {} is negative", i));
  return problem;
}

}  // namespace

FclibProblem read_fclib(std::span<const std::byte> bytes, const std::string& name) {
  return FclibReader(bytes, name).read();
}

FclibProblem read_fclib(const std::filesystem::path& path) {
  const FileBytes file(path);
  return read_fclib(file.bytes(), path.string());
}

std::vector<std::byte> encode_fclib(const FclibProblem& problem, const std::string& title) {
  YMIR_CHECK(!problem.global);
  Hdf5ClassicWriter file;
  using Whole = std::vector<std::int32_t>;
  const FclibMatrix& w = problem.w;
  Whole starts(static_cast<std::size_t>(w.rows) + 1, 0);
  for (const std::int32_t row : w.row) ++starts[static_cast<std::size_t>(row) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  file.put("/fclib_local/spacedim", Whole{3});
  file.put("/fclib_local/W/nzmax", Whole{static_cast<std::int32_t>(w.value.size())});
  file.put("/fclib_local/W/m", Whole{w.rows});
  file.put("/fclib_local/W/n", Whole{w.columns});
  file.put("/fclib_local/W/nz", Whole{by_rows});
  file.put("/fclib_local/W/p", std::move(starts));
  file.put("/fclib_local/W/i", w.column);
  file.put("/fclib_local/W/x", w.value);
  file.put("/fclib_local/vectors/q", problem.q);
  file.put("/fclib_local/vectors/mu", problem.mu);
  file.put("/fclib_local/info/title", title);
  file.put("/fclib_local/info/description", std::string("written by ymir"));
  file.put("/fclib_local/info/math_info", std::string(""));
  if (!problem.r.empty()) {
    file.put("/solution/r", problem.r);
    file.put("/solution/u", problem.u);
  }
  return file.bytes();
}

void write_fclib(const std::filesystem::path& path, const FclibProblem& problem, const std::string& title) {
  AtomicFile file(path);
  file.write(encode_fclib(problem, title));
  file.commit();
}

}  // namespace ymir
