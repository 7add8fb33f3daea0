#include "ymir/cache/formats/bounded_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <new>

#include "ymir/base/error.h"

namespace ymir {
namespace {

constexpr std::string_view spaces = " \t\r\v\f";

bool is_space(char c) { return spaces.find(c) != std::string_view::npos; }

[[noreturn]] void refuse(const std::filesystem::path& path, ExitCode code, std::string_view message) {
  throw Error(code, fmt::format("{}: {}", path.string(), message));
}

std::size_t checked_size(const std::filesystem::path& path, int descriptor, std::uint64_t limit) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) refuse(path, ExitCode::io, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) refuse(path, ExitCode::bad_input, "is a folder; name a file");
  if (!S_ISREG(status.st_mode)) refuse(path, ExitCode::bad_input, "is not a regular file; copy it to one first");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size == 0) refuse(path, ExitCode::bad_input, "is empty; export it again");
  if (size > limit)
    refuse(path, ExitCode::bad_input,
           fmt::format("is {} bytes, more than the limit of {}; split it or reduce it", size, limit));
  return static_cast<std::size_t>(size);
}

}  // namespace

FileBytes::FileBytes(const std::filesystem::path& path, std::uint64_t limit) {
  // O_NONBLOCK: opening a pipe without a writer would hang before it could be refused.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const int error = errno;
    refuse(path, ExitCode::bad_input,
           fmt::format("cannot open: {}; check the name and the permissions", std::strerror(error)));
  }
  struct Closer {
    int descriptor;
    ~Closer() { ::close(descriptor); }
  } closer{descriptor};
  size_ = checked_size(path, descriptor, limit);
  try {
    data_ = std::make_unique_for_overwrite<std::byte[]>(size_);
  } catch (const std::bad_alloc&) {
    refuse(path, ExitCode::io, fmt::format("no memory for its {} bytes; close other programs or reduce it", size_));
  }
  std::size_t done = 0;
  while (done < size_) {
    const ssize_t got = ::read(descriptor, data_.get() + done, size_ - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(path, ExitCode::io, fmt::format("cannot read: {}; check the disk", std::strerror(errno)));
    if (got == 0) refuse(path, ExitCode::io, "became shorter while it was read; wait until it is written");
    done += static_cast<std::size_t>(got);
  }
}

void BoundedReader::require(std::uint64_t count, std::size_t stride, std::string_view what) const {
  if (count > remaining() / stride)
    fail(fmt::format(
        "expected {} {} of {} bytes each, but only {} bytes remain; the file is truncated or its counts are "
        "wrong: export it again",
        count, what, stride, remaining()));
}

std::span<const std::byte> BoundedReader::take(std::uint64_t count, std::size_t stride, std::string_view what) {
  require(count, stride, what);
  const auto taken = bytes_.subspan(offset_, static_cast<std::size_t>(count) * stride);
  offset_ += taken.size();
  return taken;
}

void BoundedReader::expect_end() {
  if (remaining() > 0)
    fail(fmt::format("{} bytes follow the end of the data; the counts in the file are wrong: export it again",
                     remaining()));
}

std::optional<std::string_view> BoundedReader::next_line() {
  if (remaining() == 0) return std::nullopt;
  const auto* text = reinterpret_cast<const char*>(bytes_.data()) + offset_;
  const auto* end = static_cast<const char*>(std::memchr(text, '\n', remaining()));
  std::string_view line(text, end ? static_cast<std::size_t>(end - text) : remaining());
  offset_ += line.size() + (end ? 1 : 0);
  // The rest of a line of which words were taken is still that line.
  if (line_ == 0 || line_complete_) ++line_;
  line_complete_ = true;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::string_view BoundedReader::next_word() {
  if (line_ == 0) line_ = 1;
  const auto* text = reinterpret_cast<const char*>(bytes_.data());
  for (; offset_ < bytes_.size() && (is_space(text[offset_]) || text[offset_] == '\n'); ++offset_) {
    line_ += line_complete_ ? 1 : 0;
    line_complete_ = text[offset_] == '\n';
  }
  const std::size_t begin = offset_;
  while (offset_ < bytes_.size() && !is_space(text[offset_]) && text[offset_] != '\n') ++offset_;
  if (offset_ > begin && line_complete_) {
    ++line_;
    line_complete_ = false;
  }
  return {text + begin, offset_ - begin};
}

void BoundedReader::fail(std::string_view message) const {
  throw Error(ExitCode::bad_input, line_ > 0 ? fmt::format("{}:{}: {}", name_, line_, message)
                                             : fmt::format("{}: byte {}: {}", name_, offset_, message));
}

std::string_view take_word(std::string_view& text) {
  std::size_t begin = 0;
  while (begin < text.size() && is_space(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && !is_space(text[end])) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

bool parse_number(std::string_view word, double& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument || word.empty()) return false;
  // from_chars leaves the value alone when it over- or underflows; strtod tells the two apart.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(word).c_str(), nullptr);
  return true;
}

bool parse_integer(std::string_view word, std::int64_t& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  return !word.empty() && stop == end && error == std::errc{};
}

std::string printable(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string text = "'";
  for (const char c : word.substr(0, longest)) text += c >= ' ' && c < 0x7f ? c : '?';
  return text + (word.size() > longest ? "...'" : "'");
}

}  // namespace ymir
