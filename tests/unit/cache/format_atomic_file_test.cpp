#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "format_samples.h"
#include "ymir/cache/atomic_file.h"

namespace ymir {
namespace {

using namespace format_samples;

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const TestFolder folder;
  write_file(folder / "a", "old");
  {
    AtomicFile file(folder / "a");
    file.write("new");
    EXPECT_TRUE(std::filesystem::exists(file.temporary()));
    EXPECT_EQ(file.temporary().parent_path(), folder.path());
    EXPECT_EQ(read_text(folder / "a"), "old");
    file.commit();
    EXPECT_EQ(read_text(folder / "a"), "new");
    EXPECT_EQ(files_in(folder), 1u);
  }
  EXPECT_EQ(read_text(folder / "a"), "new");
}

TEST(AtomicFile, LeavesNothingWhenAbandoned) {
  const TestFolder folder;
  AtomicFile(folder / "a").write("half");
  EXPECT_EQ(files_in(folder), 0u);
}

TEST(AtomicFile, WritesMoreThanItsBuffer) {
  const TestFolder folder;
  const std::string block(700'000, 'x');
  AtomicFile file(folder / "a");
  for (int i = 0; i < 5; ++i) file.write(block);
  file.commit();
  EXPECT_EQ(std::filesystem::file_size(folder / "a"), 3'500'000u);
}

TEST(AtomicFile, KeepsWhatALibraryWroteToTheTemporaryName) {
  const TestFolder folder;
  AtomicFile file(folder / "a");
  write_file(file.temporary(), "by name");
  file.commit();
  EXPECT_EQ(read_text(folder / "a"), "by name");
}

TEST(AtomicFile, TwoWritersOfOneFileDoNotMix) {
  const TestFolder folder;
  AtomicFile first(folder / "a");
  AtomicFile second(folder / "a");
  EXPECT_NE(first.temporary(), second.temporary());
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  EXPECT_EQ(read_text(folder / "a"), "first");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(AtomicFile, RefusesFoldersDevicesAndMissingFolders) {
  const TestFolder folder;
  const auto creating = [](std::filesystem::path path) { return [path] { AtomicFile file(path); }; };
  expect_refusal(creating(folder / "none/a"), {"none/a", "No such file", "create the folder"}, ExitCode::io);
  expect_refusal(creating(folder.path()), {"Is a directory"}, ExitCode::io);
  expect_refusal(creating("/dev/null"), {"/dev/null", "not a regular file"}, ExitCode::io);
  expect_refusal(creating(folder / std::string(255, 'x')), {"shorter name"}, ExitCode::io);
  EXPECT_EQ(files_in(folder), 0u);
}

TEST(AtomicFile, LeavesTheOldFileWhenTheDiskIsFull) {
  const TestFolder folder;
  write_file(folder / "a", "old");
  // A limit on file size stands in for a full disk: both make write() fail half-way.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{100'000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_refusal(
      [&] {
        AtomicFile file(folder / "a");
        file.write(std::string(200'000, 'x'));
        file.commit();
      },
      {"a: cannot write", "File too large"}, ExitCode::io);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_text(folder / "a"), "old");
  EXPECT_EQ(files_in(folder), 1u);
}

}  // namespace
}  // namespace ymir
