// The one way bytes of a foreign file enter Ymir. Every count is checked against the bytes that remain before anything
// is allocated, so memory is bounded by a small multiple of the file's size; every error is an Error(bad_input) that
// says file, byte or line, what was expected, and what to do.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ymir {

static_assert(std::endian::native == std::endian::little, "readers and writers copy little-endian values as they are");

// A whole regular file in memory. Missing, unreadable, empty and oversized files, folders and devices are refused.
class FileBytes {
 public:
  static constexpr std::uint64_t default_limit = std::uint64_t{8} << 30;  // [bytes]
  explicit FileBytes(const std::filesystem::path& path, std::uint64_t limit = default_limit);
  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
};

// Reads a span from front to back, as little-endian values or as text. `name` is the file's name in messages.
class BoundedReader {
 public:
  BoundedReader(std::span<const std::byte> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  std::size_t offset() const { return offset_; }
  std::size_t remaining() const { return bytes_.size() - offset_; }
  const std::string& name() const { return name_; }

  // An error naming `what` unless count * stride bytes remain. Nothing is read.
  void require(std::uint64_t count, std::size_t stride, std::string_view what) const;
  // The next count * stride bytes, or an error naming `what`. Nothing is copied.
  std::span<const std::byte> take(std::uint64_t count, std::size_t stride, std::string_view what);
  template <class T>
  T get(std::string_view what) {
    static_assert(std::is_arithmetic_v<T>);
    T value;
    std::memcpy(&value, take(1, sizeof(T), what).data(), sizeof(T));
    return value;
  }
  template <class T>
  std::vector<T> get_array(std::uint64_t count, std::string_view what) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto source = take(count, sizeof(T), what);
    std::vector<T> values(static_cast<std::size_t>(count));
    if (!source.empty()) std::memcpy(values.data(), source.data(), source.size());
    return values;
  }
  void expect_end();  // an error when bytes remain

  // Text. The next line without its end (\n or \r\n), or nothing at the end of the file.
  std::optional<std::string_view> next_line();
  // The next word, across line ends; empty at the end of the file.
  std::string_view next_word();
  std::size_t line() const { return line_; }
  void end_text() { line_ = 0; }  // binary data follows: errors name bytes again

  // "name: byte 12: message" or, once text has been read, "name:12: message".
  [[noreturn]] void fail(std::string_view message) const;

 private:
  std::span<const std::byte> bytes_;
  std::string name_;
  std::size_t offset_ = 0;
  std::size_t line_ = 0;        // number of the line last read, 0 in binary data
  bool line_complete_ = false;  // the next character starts line_ + 1
};

// Removes and returns the first word of `text`; empty when none is left.
std::string_view take_word(std::string_view& text);
// The whole word as a number; false when it is none. Values too large for a double are infinite, too small are 0.
bool parse_number(std::string_view word, double& value);
bool parse_integer(std::string_view word, std::int64_t& value);
// A word from a file as it may be printed in a message: short, control characters replaced.
std::string printable(std::string_view word);

}  // namespace ymir
