// MP4 (H.264) from pictures, encoded by the `ffmpeg` program fed with raw frames.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "ymir/preview/image.h"

namespace ymir {

struct FilmReport {
  bool written = false;  // the film stands under its name
  std::string message;   // why not, and what to do; empty when written
};

// Frames go to a temporary file beside `path`, renamed by finish(). Without ffmpeg, or when it fails, frames are
// dropped and finish() says why; an existing film of that name is then left as it was.
class Film {
 public:
  Film(std::filesystem::path path, int width, int height, double frames_per_second);
  ~Film();  // an unfinished film is abandoned
  Film(const Film&) = delete;
  Film& operator=(const Film&) = delete;

  void add(const Image&);  // of the film's size
  FilmReport finish();

 private:
  struct Encoder;
  std::filesystem::path path_;
  int width_;
  int height_;
  int frames_ = 0;
  std::unique_ptr<Encoder> encoder_;
  std::string failure_;
};

// True when `ffmpeg` is on the PATH.
bool ffmpeg_available();

}  // namespace ymir
