#include "ymir/preview/film.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "ymir/base/check.h"

extern char** environ;

namespace ymir {
namespace {

// Waits for the child to end; true when it ended by itself with status 0.
bool reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string tail_of(std::FILE* file) {
  std::rewind(file);
  std::string text(600, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

// H.264 with 4:2:0 chroma needs even sides: the last column or row is repeated.
std::vector<std::uint8_t> even_sided(const Image& image) {
  const auto w = static_cast<std::size_t>(image.width), h = static_cast<std::size_t>(image.height);
  const std::size_t even_w = w + w % 2, even_h = h + h % 2;
  std::vector<std::uint8_t> raw;
  raw.reserve(3 * even_w * even_h);
  for (std::size_t y = 0; y < even_h; ++y) {
    const std::uint8_t* row = image.rgb.data() + 3 * w * (y < h ? y : h - 1);
    raw.insert(raw.end(), row, row + 3 * w);
    if (even_w != w) raw.insert(raw.end(), row + 3 * (w - 1), row + 3 * w);
  }
  return raw;
}

}  // namespace

struct Film::Encoder {
  pid_t pid = -1;
  int input = -1;               // our end of the socket that is ffmpeg's standard input
  std::FILE* errors = nullptr;  // what ffmpeg said
  std::filesystem::path temporary;

  ~Encoder() {
    close_input();
    if (pid > 0) {
      kill(pid, SIGKILL);
      reap(pid);
    }
    if (errors != nullptr) std::fclose(errors);
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
  }

  void close_input() {
    if (input >= 0) close(input);
    input = -1;
  }

  // Empty on success, else what went wrong.
  std::string start(int width, int height, double fps) {
    errors = std::tmpfile();
    int ends[2] = {-1, -1};
    // A socket rather than a pipe: MSG_NOSIGNAL then spares us SIGPIPE when the encoder dies.
    if (errors == nullptr || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return std::string("cannot open a channel to ffmpeg: ") + std::strerror(errno);
    input = ends[0];
    std::vector<std::string> words{"ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y"};
    const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
    add({"-f", "rawvideo", "-pix_fmt", "rgb24", "-s", fmt::format("{}x{}", width, height)});
    add({"-r", fmt::format("{:.6f}", fps), "-i", "pipe:0", "-an", "-c:v", "libx264", "-preset", "medium"});
    // The pictures are sRGB; BT.709 is declared and used so that players show the same colours.
    add({"-vf", "scale=out_color_matrix=bt709", "-colorspace", "bt709", "-color_primaries", "bt709"});
    add({"-color_trc", "bt709", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"});
    add({"file:" + temporary.string()});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int failure = spawn(arguments, ends[1]);
    close(ends[1]);
    if (failure == ENOENT) return "the program ffmpeg is not installed; install the package ffmpeg to get films";
    if (failure != 0) return std::string("cannot start ffmpeg: ") + std::strerror(failure);
    return {};
  }

  int spawn(const std::vector<char*>& arguments, int standard_input) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, standard_input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, fileno(errors), STDERR_FILENO);
    // Its own process group: Ctrl-C lets the host finish the film instead of killing the encoder.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    const int failure = posix_spawnp(&pid, arguments[0], &files, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (failure != 0) pid = -1;
    return failure;
  }

  bool write(const std::vector<std::uint8_t>& bytes) const {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t sent = send(input, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      at += static_cast<std::size_t>(sent);
    }
    return true;
  }

  bool finish() {
    close_input();
    const bool good = reap(pid);
    pid = -1;
    return good;
  }
};

Film::Film(std::filesystem::path path, int width, int height, double frames_per_second)
    : path_(std::move(path)), width_(width), height_(height) {
  YMIR_CHECK(width > 0 && height > 0 && frames_per_second > 0);
  encoder_ = std::make_unique<Encoder>();
  encoder_->temporary = path_;
  encoder_->temporary.replace_filename(fmt::format(".{}.{}.tmp", path_.filename().string(), getpid()));
  failure_ = encoder_->start(width + width % 2, height + height % 2, frames_per_second);
  if (!failure_.empty()) encoder_.reset();
}

Film::~Film() = default;

void Film::add(const Image& image) {
  YMIR_CHECK(image.width == width_ && image.height == height_);
  ++frames_;
  if (!encoder_) return;
  if (encoder_->write(even_sided(image))) return;
  encoder_->finish();
  failure_ = "ffmpeg stopped: " + tail_of(encoder_->errors);
  encoder_.reset();
}

FilmReport Film::finish() {
  if (encoder_ && frames_ == 0) failure_ = "no frames were given";
  if (encoder_ && frames_ > 0) {
    if (!encoder_->finish()) {
      failure_ = "ffmpeg failed: " + tail_of(encoder_->errors);
    } else {
      std::error_code error;
      std::filesystem::rename(encoder_->temporary, path_, error);
      if (error) failure_ = "cannot rename the finished film: " + error.message();
    }
  }
  encoder_.reset();
  if (failure_.empty()) return {true, {}};
  return {false, fmt::format("{}: no film: {}", path_.string(), failure_)};
}

bool ffmpeg_available() {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return false;
  const std::string folders = path;
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    if (access((folders.substr(at, end - at) + "/ffmpeg").c_str(), X_OK) == 0) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace ymir
