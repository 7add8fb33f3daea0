// A linear system in a file, the same for all solvers that are compared: "YMIRCSR1", rows, entries (int64), then
// starts (int32, rows + 1), columns (int32), values (double) and b (double). Rows are complete, columns rise in a row.
// The solution goes into a file of `rows` doubles.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace peers {

struct System {
  std::int64_t all_rows = 0, first = 0;       // rows of the whole matrix; the first of these
  std::vector<std::int32_t> starts, columns;  // starts count from 0 in this part
  std::vector<double> values, b;
  std::int64_t rows() const { return static_cast<std::int64_t>(b.size()); }
};

[[noreturn]] inline void fail(const char* path, const char* what) {
  std::fprintf(stderr, "%s: %s\n", path, what);
  std::exit(1);
}

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

inline File open(const char* path, const char* mode) {
  File file(std::fopen(path, mode));
  if (!file) fail(path, "cannot be opened");
  return file;
}

template <class T>
void put(const char* path, std::FILE* file, const std::vector<T>& data) {
  if (std::fwrite(data.data(), sizeof(T), data.size(), file) != data.size()) fail(path, "could not be written");
}

template <class T>
void take(const char* path, std::FILE* file, std::int64_t at, std::int64_t count, std::vector<T>& data) {
  data.resize(static_cast<std::size_t>(count));
  if (std::fseek(file, at, SEEK_SET) != 0 || std::fread(data.data(), sizeof(T), data.size(), file) != data.size())
    fail(path, "is shorter than its header says");
}

inline void write_system(const char* path, const System& s) {
  const File file = open(path, "wb");
  const std::int64_t entries = s.starts.back();
  std::vector<std::int64_t> header{0, s.rows(), entries};
  std::memcpy(header.data(), "YMIRCSR1", 8);
  put(path, file.get(), header);
  put(path, file.get(), s.starts);
  put(path, file.get(), s.columns);
  put(path, file.get(), s.values);
  put(path, file.get(), s.b);
}

// Part `part` of `parts` of about equally many rows.
inline System read_system(const char* path, int part = 0, int parts = 1) {
  const File file = open(path, "rb");
  std::vector<std::int64_t> header;
  take(path, file.get(), 0, 3, header);
  if (std::memcmp(header.data(), "YMIRCSR1", 8) != 0) fail(path, "is no matrix of this benchmark");
  System s;
  const std::int64_t all = header[1], entries = header[2];
  s.all_rows = all;
  s.first = all * part / parts;
  const std::int64_t rows = all * (part + 1) / parts - s.first;
  take(path, file.get(), 24 + 4 * s.first, rows + 1, s.starts);
  const std::int64_t begin = s.starts.front(), count = s.starts.back() - begin;
  for (std::int32_t& start : s.starts) start -= static_cast<std::int32_t>(begin);
  const std::int64_t columns_at = 24 + 4 * (all + 1), values_at = columns_at + 4 * entries;
  take(path, file.get(), columns_at + 4 * begin, count, s.columns);
  take(path, file.get(), values_at + 8 * begin, count, s.values);
  take(path, file.get(), values_at + 8 * entries + 8 * s.first, rows, s.b);
  return s;
}

inline void write_solution(const char* path, const std::vector<double>& x) {
  const File file = open(path, "wb");
  put(path, file.get(), x);
}

}  // namespace peers
