#include "ymir/cache/frame_file.h"

#include <gtest/gtest.h>
#include <sys/types.h>

#include "frame_samples.h"
#include "ymir/base/error.h"
#include "ymir/cache/frame_image.h"

// The count of identifiers that HDF5 holds open; declared here because its header stays behind frame_image.cpp.
extern "C" ssize_t H5Fget_obj_count(std::int64_t file, unsigned kinds);

namespace ymir {
namespace {

constexpr unsigned all_kinds = 0x1f;
ssize_t open_identifiers() { return H5Fget_obj_count(all_kinds, all_kinds); }

std::string message_of(const std::filesystem::path& path) {
  try {
    read_frame_file(path);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
    return error.what();
  }
}

TEST(FrameFile, EveryScalarTypeComesBackBitByBit) {
  const TestFolder folder;
  Frame frame{.number = -3, .time = 0.1, .hash = ~0ull, .attributes = {}, .objects = {}};
  ObjectState object{.name = "all", .kind = "state", .channels = {}, .attributes = {}};
  for (const ScalarType type :
       {ScalarType::f32, ScalarType::f64, ScalarType::i32, ScalarType::i64, ScalarType::u8, ScalarType::u64})
    for (const int components : {1, 2, 3, 9})
      for (const std::size_t count : {1u, 2u, 1000u}) {
        const auto key = std::to_string(static_cast<int>(type)) + "x" + std::to_string(components) + "x";
        object.channels[key + std::to_string(count)] = {Place::object, random_array(type, components, count, 7)};
      }
  frame.objects.push_back(object);
  write_frame_file(folder / "a.h5", frame);
  expect_same(frame, read_frame_file(folder / "a.h5"));
}

TEST(FrameFile, ChannelsOfManyChunksAndOfWideTuplesComeBack) {
  Frame frame = sample_frame(1, 100'003);
  frame.objects[0].channels["density"] = {Place::tile, random_array(ScalarType::f32, 16 * 16 * 16, 37, 5)};
  frame.objects[0].channels["row"] = {Place::object, random_array(ScalarType::f64, 70'001, 2, 6)};
  expect_same(frame, decode_frame(encode_frame(frame), "x"));
}

TEST(FrameFile, EmptyFramesObjectsAndChannelsComeBack) {
  Frame frame;
  expect_same(frame, decode_frame(encode_frame(frame), "x"));
  frame.objects.push_back({.name = "nothing", .kind = "points", .channels = {}, .attributes = {}});
  frame.objects.push_back({.name = "no elements", .kind = "points", .channels = {}, .attributes = {}});
  frame.objects[1].channels["position"] = {Place::particle, Array(ScalarType::f32, 3, 0)};
  frame.objects[1].channels["id"] = {Place::particle, Array(ScalarType::u64, 1, 0)};
  expect_same(frame, decode_frame(encode_frame(frame), "x"));
}

TEST(FrameFile, AttributesOfEveryTypeComeBack) {
  Frame frame = sample_frame(1);
  for (Attributes* attributes : {&frame.attributes, &frame.objects[0].attributes}) {
    (*attributes)["count"] = std::int64_t{-1} << 62;
    (*attributes)["size"] = 0.1;
    (*attributes)["infinite"] = std::numeric_limits<double>::infinity();
    (*attributes)["text"] = std::string("Glut: Grüße, 火");
    (*attributes)["empty"] = std::string();
    (*attributes)["long"] = std::string(200'000, 'x');
    (*attributes)["density.resolution"] = std::int64_t{16};
  }
  expect_same(frame, decode_frame(encode_frame(frame), "x"));
}

TEST(FrameFile, AwkwardNamesAndTheOrderOfObjectsComeBack) {
  Frame frame;
  for (const char* name :
       {"Zoë/火/точки", "A", "A/B", "A/B/position", "", ".", "/", "//", "A/", "..", "_", "A/./B", "a b%20"}) {
    ObjectState& object = frame.objects.emplace_back(sample_frame(1).objects[0]);
    object.name = name;
    for (const char* channel : {"B", ".", "x/y", "x_y", "", "@shared", "ü"})
      object.channels[channel] = {Place::object, random_array(ScalarType::i32, 1, 3, frame.objects.size())};
  }
  expect_same(frame, decode_frame(encode_frame(frame), "x"));
}

TEST(FrameFile, EqualFramesAreEqualFiles) {
  const TestFolder folder;
  const Frame frame = sample_frame(4, 5000);
  const FileStamp a = write_frame_file(folder / "a.h5", frame);
  ::sleep(1);  // dates in HDF5 files have whole seconds
  const FileStamp b = write_frame_file(folder / "b.h5", frame);
  EXPECT_EQ(a, b);
  EXPECT_EQ(read_text(folder / "a.h5"), read_text(folder / "b.h5"));
  EXPECT_EQ(problem_with_file(folder / "a.h5", b), std::nullopt);
}

TEST(FrameFile, RefusesWhatIsNotAFrameNamingTheFile) {
  const TestFolder folder;
  write_frame_file(folder / "good.h5", sample_frame(1));
  const std::string good = read_text(folder / "good.h5");
  const std::string image = good.substr(0, good.size() - 24);
  for (const std::string& text : {std::string(), std::string("hello"), std::string(1000, '\0'), image, good + "x",
                                  good.substr(1), good.substr(image.size())}) {
    write_text(folder / "bad.h5", text);
    EXPECT_NE(message_of(folder / "bad.h5").find((folder / "bad.h5").string()), std::string::npos);
  }
  EXPECT_NE(message_of(folder / "missing.h5"), "");
  EXPECT_NE(message_of(folder.path()), "");
}

TEST(FrameFile, RefusesAnotherFileThanTheExpectedOne) {
  const TestFolder folder;
  const FileStamp one = write_frame_file(folder / "1.h5", sample_frame(1));
  write_frame_file(folder / "2.h5", sample_frame(2));
  EXPECT_NO_THROW(read_frame_file(folder / "1.h5", one));
  EXPECT_THROW(read_frame_file(folder / "2.h5", one), Error);
  EXPECT_TRUE(problem_with_file(folder / "2.h5", one).has_value());
  EXPECT_EQ(problem_with_file(folder / "3.h5", one), "missing");
}

// Valid HDF5 that Ymir did not write, as a program with a grudge would make it; see foreign_frames/make.py.
TEST(FrameFile, RefusesForeignImagesAndLeavesNothingOpenInHdf5) {
  const ssize_t before = open_identifiers();
  int refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(YMIR_SOURCE_DIR "/tests/unit/cache/foreign_frames")) {
    if (entry.path().extension() != ".h5") continue;
    const std::string text = read_text(entry.path());
    const auto image = std::as_bytes(std::span(text));
    if (entry.path().stem() == "good") {
      EXPECT_EQ(decode_frame(image, "x").objects.at(0).channels.at("position").count(), 5u);
      continue;
    }
    EXPECT_THROW(decode_frame(image, "x"), Error) << entry.path();
    ++refused;
  }
  EXPECT_EQ(refused, 16);
  EXPECT_THROW(decode_frame(Bytes(100), "x"), Error);
  EXPECT_THROW(decode_frame(Bytes(), "x"), Error);
  EXPECT_EQ(open_identifiers(), before);
}

}  // namespace
}  // namespace ymir
