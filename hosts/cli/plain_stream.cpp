#include "plain_stream.h"

#include "ymir/base/plain_text.h"

namespace ymir::cli {

std::streambuf::int_type PlainStream::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char letter = traits_type::to_char_type(c);
  // Single letters are padding and the like; a byte of a longer character cannot be judged alone.
  if (static_cast<unsigned char>(letter) >= 0x80) return target_->sputc(letter);
  return xsputn(&letter, 1) == 1 ? c : traits_type::eof();
}

std::streamsize PlainStream::xsputn(const char* text, std::streamsize count) {
  const std::string plain = plain_text({text, static_cast<std::size_t>(count)}, Newlines::keep);
  const auto size = static_cast<std::streamsize>(plain.size());
  return target_->sputn(plain.data(), size) == size ? count : 0;
}

}  // namespace ymir::cli
