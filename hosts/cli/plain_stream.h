// Standard output and error as everything leaves through them: text of files and names cannot steer the terminal.
#pragma once

#include <ostream>
#include <streambuf>

namespace ymir::cli {

// Passes text on with control characters escaped, from its construction to its end; newlines and tabs stay. What one
// call writes is looked at as a whole: characters are not torn apart by that.
class PlainStream final : public std::streambuf {
 public:
  explicit PlainStream(std::ostream& stream) : stream_(stream), target_(stream.rdbuf(this)) {}
  ~PlainStream() override { stream_.rdbuf(target_); }
  PlainStream(const PlainStream&) = delete;
  PlainStream& operator=(const PlainStream&) = delete;

 private:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override { return target_->pubsync(); }

  std::ostream& stream_;
  std::streambuf* target_;
};

}  // namespace ymir::cli
