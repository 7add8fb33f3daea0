#include "ymir/cache/formats/fclib.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "ymir/base/error.h"
#include "ymir/cache/formats/hdf5_classic.h"

namespace ymir {
namespace {

using Whole = std::vector<std::int32_t>;
using Real = std::vector<double>;

// Two contacts, coupled one way only.
FclibProblem sample() {
  FclibProblem p;
  p.w.rows = p.w.columns = 6;
  for (int i = 0; i < 6; ++i) {
    for (const int j : {i, (i + 3) % 6})
      if (j == i || i < 3) {
        p.w.row.push_back(i);
        p.w.column.push_back(j);
        p.w.value.push_back(j == i ? 2 + i : -0.25 * (1 + i));
      }
  }
  p.q = {-1, 0.5, 0, -2, 0, 1};
  p.mu = {0.3, 0.7};
  return p;
}

// The same as triplets and by columns, in groups that a file would have.
Hdf5ClassicWriter in_layout(std::int32_t layout) {
  const FclibProblem p = sample();
  Hdf5ClassicWriter file;
  const std::string w = "/fclib_local/W/";
  file.put("/fclib_local/spacedim", Whole{3});
  file.put("/fclib_local/vectors/q", p.q);
  file.put("/fclib_local/vectors/mu", p.mu);
  file.put(w + "m", Whole{6});
  file.put(w + "n", Whole{6});
  file.put(w + "nzmax", Whole{static_cast<std::int32_t>(p.w.value.size())});
  if (layout == -1) {
    Whole starts{0}, rows;
    Real values;
    for (int c = 0; c < 6; ++c) {
      for (std::size_t k = 0; k < p.w.value.size(); ++k)
        if (p.w.column[k] == c) {
          rows.push_back(p.w.row[k]);
          values.push_back(p.w.value[k]);
        }
      starts.push_back(static_cast<std::int32_t>(rows.size()));
    }
    file.put(w + "nz", Whole{-1});
    file.put(w + "p", starts);
    file.put(w + "i", rows);
    file.put(w + "x", values);
  } else {
    Whole rows(p.w.row.rbegin(), p.w.row.rend()), columns(p.w.column.rbegin(), p.w.column.rend());
    Real values(p.w.value.rbegin(), p.w.value.rend());
    // One entry in two parts.
    rows.push_back(0);
    columns.push_back(0);
    values.push_back(0.5);
    for (std::size_t k = 0; k + 1 < rows.size(); ++k)
      if (rows[k] == 0 && columns[k] == 0) values[k] -= 0.5;
    file.put(w + "nz", Whole{static_cast<std::int32_t>(rows.size())});
    file.put(w + "p", columns);
    file.put(w + "i", rows);
    file.put(w + "x", values);
  }
  return file;
}

std::string refusal(const std::vector<std::byte>& bytes) {
  try {
    read_fclib(bytes, "some.hdf5");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_EQ(std::string(error.what()).find("some.hdf5: "), 0U) << error.what();
    return error.what();
  }
  return "";
}

TEST(FormatFclib, WhatIsWrittenIsRead) {
  const FclibProblem p = sample();
  const std::vector<std::byte> bytes = encode_fclib(p, "sample");
  EXPECT_EQ(bytes, encode_fclib(p, "sample"));
  const FclibProblem back = read_fclib(bytes, "some.hdf5");
  EXPECT_FALSE(back.global);
  EXPECT_EQ(back.w.row, p.w.row);
  EXPECT_EQ(back.w.column, p.w.column);
  EXPECT_EQ(back.w.value, p.w.value);
  EXPECT_EQ(back.q, p.q);
  EXPECT_EQ(back.mu, p.mu);
}

TEST(FormatFclib, AllLayoutsOfAMatrixGiveTheSame) {
  const FclibProblem p = sample();
  for (const std::int32_t layout : {-1, 0}) {
    const FclibProblem back = read_fclib(in_layout(layout).bytes(), "some.hdf5");
    EXPECT_EQ(back.w.row, p.w.row);
    EXPECT_EQ(back.w.column, p.w.column);
    EXPECT_EQ(back.w.value, p.w.value);
  }
}

TEST(FormatFclib, GlobalProblemsAreRead) {
  Hdf5ClassicWriter file;
  const auto matrix = [&](const std::string& path, int rows, int columns) {
    file.put(path + "/m", Whole{rows});
    file.put(path + "/n", Whole{columns});
    file.put(path + "/nz", Whole{3});
    file.put(path + "/p", Whole{0, 1, 2});
    file.put(path + "/i", Whole{0, 1, 2});
    file.put(path + "/x", Real{1, 2, 4});
  };
  matrix("/fclib_global/M", 4, 4);
  matrix("/fclib_global/H", 4, 3);
  file.put("/fclib_global/spacedim", Whole{3});
  file.put("/fclib_global/vectors/f", Real{1, 2, 3, 4});
  file.put("/fclib_global/vectors/w", Real{5, 6, 7});
  file.put("/fclib_global/vectors/mu", Real{0.5});
  const FclibProblem p = read_fclib(file.bytes(), "some.hdf5");
  EXPECT_TRUE(p.global);
  EXPECT_EQ(p.contacts(), 1);
  EXPECT_EQ(p.h.rows, 4);
  EXPECT_EQ(p.f, (Real{1, 2, 3, 4}));
  EXPECT_EQ(p.offset, (Real{5, 6, 7}));
  file.put("/fclib_global/vectors/f", Real{1, 2, 3});
  EXPECT_NE(refusal(file.bytes()).find("/vectors/f"), std::string::npos);
}

TEST(FormatFclib, InconsistentProblemsAreRefusedWithTheirPlace) {
  struct Case {
    std::string path;
    Hdf5ClassicWriter::Values values;
    std::string says;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Case> cases{{"/fclib_local/spacedim", Whole{2}, "spacedim"},
                                {"/fclib_local/spacedim", Real{3}, "whole numbers"},
                                {"/fclib_local/W/m", Whole{7}, "not square"},
                                {"/fclib_local/W/m", Whole{-6}, "must be 0 or more"},
                                {"/fclib_local/W/nz", Whole{-3}, "must be -2 or more"},
                                {"/fclib_local/W/i", Whole{0, 1}, "export it again"},
                                {"/fclib_local/W/i", Whole(10, 6), "outside"},
                                {"/fclib_local/W/x", Real(10, nan), "not a finite number"},
                                {"/fclib_local/W/x", Whole(10, 1), "real numbers"},
                                {"/fclib_local/vectors/q", Real{1, 2, 3}, "3 values, but the matrix needs 6"},
                                {"/fclib_local/vectors/q", Real{1, 2, 3, nan, 1, 1}, "value 3 is not a finite number"},
                                {"/fclib_local/vectors/mu", Real{0.3, -0.1}, "value 1 is negative"},
                                {"/fclib_local/vectors/mu", Real{0.3}, "1 values, but the matrix needs 2"}};
  for (const Case& c : cases) {
    Hdf5ClassicWriter file = in_layout(0);
    file.put(c.path, c.values);
    EXPECT_NE(refusal(file.bytes()).find(c.says), std::string::npos) << c.path << ": " << refusal(file.bytes());
  }
  Hdf5ClassicWriter by_columns = in_layout(-1);
  by_columns.put("/fclib_local/W/p", Whole{0, 2, 1, 4, 6, 8, 9});
  EXPECT_NE(refusal(by_columns.bytes()).find("out of order"), std::string::npos);
  by_columns.put("/fclib_local/W/p", Whole{0, 2});
  EXPECT_NE(refusal(by_columns.bytes()).find("starts"), std::string::npos);
  Hdf5ClassicWriter constrained = in_layout(0);
  constrained.put("/fclib_local/V/m", Whole{3});
  EXPECT_NE(refusal(constrained.bytes()).find("equality constraints"), std::string::npos);
  Hdf5ClassicWriter other;
  other.put("/something/else", Whole{3});
  EXPECT_NE(refusal(other.bytes()).find("no problem in FCLIB's layout"), std::string::npos);
  EXPECT_NE(refusal(std::vector<std::byte>(1000)).find("no HDF5 file"), std::string::npos);
}

TEST(FormatFclib, TruncatedFilesAreRefused) {
  const std::vector<std::byte> bytes = encode_fclib(sample(), "sample");
  for (std::size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_NE(refusal({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}), "") << size;
}

// Whatever byte is wrong, the result is an error or a problem that is whole.
TEST(FormatFclib, DamagedFilesAreRefusedOrWhole) {
  const std::vector<std::byte> bytes = encode_fclib(sample(), "sample");
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::vector<std::byte> damaged = bytes;
      if (damaged[at] == std::byte(value)) continue;
      damaged[at] = std::byte(value);
      try {
        const FclibProblem p = read_fclib(damaged, "some.hdf5");
        ASSERT_EQ(p.w.row.size(), p.w.value.size());
        ASSERT_EQ(p.q.size(), 3 * p.mu.size());
        for (const double x : p.w.value) ASSERT_TRUE(std::isfinite(x));
        for (std::size_t k = 0; k < p.w.row.size(); ++k)
          ASSERT_TRUE(p.w.row[k] >= 0 && p.w.row[k] < p.w.rows && p.w.column[k] >= 0 && p.w.column[k] < p.w.columns);
      } catch (const Error& error) {
        ++refused;
        ASSERT_EQ(error.code(), ExitCode::bad_input) << at;
      }
    }
  EXPECT_GT(refused, 500);
}

TEST(FormatFclib, IndexesThatPointAtThemselvesEnd) {
  std::vector<std::byte> bytes = encode_fclib(sample(), "sample");
  // Every child of every index node becomes the node itself.
  for (std::size_t at = 0; at + 40 < bytes.size(); at += 8)
    if (std::memcmp(bytes.data() + at, "TREE", 4) == 0) {
      const std::uint64_t self = at;
      std::memcpy(bytes.data() + at + 32, &self, 8);
    }
  EXPECT_NE(refusal(bytes).find("in circles"), std::string::npos);
}

}  // namespace
}  // namespace ymir
