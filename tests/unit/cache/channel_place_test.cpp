// Where a channel lives is stored with it: objects that have as many of one thing as of another are read rightly.
#include <gtest/gtest.h>

#include "format_samples.h"
#include "frame_samples.h"
#include "ymir/base/check.h"
#include "ymir/cache/formats/frame_objects.h"
#include "ymir/cache/formats/usda.h"
#include "ymir/cache/frame_file.h"
#include "ymir/cache/frame_image.h"
#include "ymir/cache/gather.h"
#include "ymir/cache/guessed_place.h"

namespace ymir {
namespace {

using format_samples::expect_refusal;

StoredChannel floats(Place place, const std::vector<float>& values) { return {place, Array::of(values)}; }

template <class T>
std::vector<T> values(const Array& array) {
  return {array.as<T>().begin(), array.as<T>().end()};
}

// Strands with the given numbers of vertices, whose heights count them.
ObjectState strands(const std::vector<int>& vertices, const std::vector<std::int64_t>& numbers) {
  ObjectState curves{"Hair", "curves", {}, {}};
  std::vector<std::int64_t> first{0};
  std::vector<Vec3f> position;
  for (std::size_t s = 0; s < vertices.size(); ++s) {
    for (int i = 0; i < vertices[s]; ++i)
      position.emplace_back(static_cast<float>(numbers[s]), static_cast<float>(i), 0.0f);
    first.push_back(static_cast<std::int64_t>(position.size()));
  }
  curves.channels["position"] = {Place::vertex, Array::of(position), "m"};
  curves.channels["first"] = {Place::object, Array::of(first)};
  curves.channels["strand"] = {Place::strand, Array::of(numbers)};
  return curves;
}

ObjectState tetrahedron() {
  ObjectState surface{"Wall", "surface", {}, {}};
  surface.channels["position"] = {Place::vertex,
                                  Array::of(std::vector<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), "m"};
  surface.channels["triangles"] = {Place::face,
                                   Array::of(std::vector<Vec3i>{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}})};
  surface.channels["heat"] = floats(Place::face, {1, 2, 3, 4});
  surface.channels["wear"] = floats(Place::vertex, {5, 6, 7, 8});
  return surface;
}

TEST(ChannelPlace, HasANameThatComesBack) {
  for (std::size_t i = 0; i < place_names.size(); ++i) {
    const auto place = static_cast<Place>(i);
    EXPECT_EQ(place_named(name_of(place)), place);
  }
  EXPECT_EQ(place_named("nowhere"), std::nullopt);
}

TEST(ChannelPlace, IsStoredInTheFrame) {
  Frame frame;
  frame.objects.push_back({"all", "state", {}, {}});
  for (const std::string_view name : place_names)
    frame.objects[0].channels[std::string(name)] = {*place_named(name), Array::of(std::vector<float>{1}), "kg m^2/s"};
  expect_same(frame, decode_frame(encode_frame(frame), "x"));
}

// Strands of one vertex each: as many strands as vertices. Two of two vertices: as many edges as strands.
TEST(ChannelPlace, TellsStrandsFromVerticesAndEdges) {
  ObjectState one = strands({1, 1, 1}, {0, 1, 2});
  one.channels["length"] = floats(Place::strand, {1, 2, 3});
  one.channels["radius"] = floats(Place::vertex, {4, 5, 6});
  const Curves single = curves_of(one);
  EXPECT_TRUE(single.strands.has("strand") && single.strands.has("length") && single.vertices.has("radius"));
  EXPECT_FALSE(single.vertices.has("strand") || single.vertices.has("length") || single.strands.has("radius"));

  ObjectState two = strands({2, 2}, {0, 1});
  two.channels["tension"] = floats(Place::edge, {1, 2});
  const Curves pair = curves_of(two);
  ASSERT_TRUE(pair.edges.has("tension"));
  EXPECT_EQ(values<float>(*pair.edges.find("tension")), (std::vector<float>{1, 2}));
  EXPECT_FALSE(pair.strands.has("tension"));
}

TEST(ChannelPlace, TellsFacesFromVerticesOfATetrahedron) {
  const Surface surface = surface_of(tetrahedron());
  ASSERT_TRUE(surface.faces.has("heat") && surface.vertices.has("wear"));
  EXPECT_EQ(values<float>(*surface.faces.find("heat")), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(values<float>(*surface.vertices.find("wear")), (std::vector<float>{5, 6, 7, 8}));
  EXPECT_FALSE(surface.vertices.has("heat") || surface.faces.has("wear"));
}

TEST(ChannelPlace, IsTheInterpolationInUsd) {
  const TestFolder folder;
  Frame frame;
  frame.number = 1;
  frame.objects = {tetrahedron(), strands({1, 1}, {3, 4})};
  frame.objects[1].channels["length"] = floats(Place::strand, {1, 2});
  frame.objects[1].channels["wear"] = floats(Place::vertex, {1, 2});
  UsdaWriter usda(folder / "a.usda", 24);
  usda.add_frame(frame);
  usda.finish();
  const std::string text = read_text(folder / "a.usda");
  const auto is = [&](const std::string& primvar, const std::string& interpolation) {
    EXPECT_NE(text.find(primvar + " (\n            interpolation = \"" + interpolation + "\""), std::string::npos)
        << primvar;
  };
  is("float[] primvars:heat", "uniform");
  is("float[] primvars:wear", "vertex");
  is("float[] primvars:length", "uniform");
  is("int64[] primvars:id", "uniform");
}

TEST(ChannelPlace, ThatDoesNotFitTheCountIsRefused) {
  ObjectState surface = tetrahedron();
  surface.channels["heat"] = floats(Place::face, {1, 2, 3});
  expect_refusal([&] { surface_of(surface); }, {"Wall", "heat", "3 values for 4", "face"});
}

// Strands 7, 2 and 5 of two, three and two vertices, on two ranks: all that lives on them goes along, and what is of
// the whole stays, though it has as many values as there are strands.
TEST(ChannelPlace, SortsStrandsWithAllThatIsTheirs) {
  Frame a{1, 0, 0, {}, {strands({2, 3}, {7, 2})}}, b{1, 0, 0, {}, {strands({2}, {5})}};
  a.objects[0].channels["tension"] = floats(Place::edge, {70, 20, 21});
  b.objects[0].channels["tension"] = floats(Place::edge, {50});
  a.objects[0].channels["@times"] = floats(Place::object, {1, 2, 3});
  b.objects[0].channels["@times"] = floats(Place::object, {1, 2, 3});
  a.objects[0].channels["length"] = floats(Place::strand, {700, 200});
  b.objects[0].channels["length"] = floats(Place::strand, {500});
  const ObjectState whole = join_frames({a, b}).objects[0];
  EXPECT_EQ(values<std::int64_t>(whole.channels.at("strand")), (std::vector<std::int64_t>{2, 5, 7}));
  EXPECT_EQ(values<std::int64_t>(whole.channels.at("first")), (std::vector<std::int64_t>{0, 3, 5, 7}));
  EXPECT_EQ(values<float>(whole.channels.at("tension")), (std::vector<float>{20, 21, 50, 70}));
  EXPECT_EQ(values<float>(whole.channels.at("length")), (std::vector<float>{200, 500, 700}));
  EXPECT_EQ(values<float>(whole.channels.at("@times")), (std::vector<float>{1, 2, 3}));
  const auto position = values<Vec3f>(whole.channels.at("position"));
  ASSERT_EQ(position.size(), 7u);
  EXPECT_EQ(position[2], Vec3f(2, 2, 0));
  EXPECT_EQ(position[3], Vec3f(5, 0, 0));
  EXPECT_EQ(position[6], Vec3f(7, 1, 0));
  EXPECT_EQ(whole.channels.at("tension").place, Place::edge);
}

TEST(ChannelPlace, IsTheSameOnEveryRank) {
  Frame a{1, 0, 0, {}, {tetrahedron()}}, b = a;
  b.objects[0].channels["heat"].place = Place::vertex;
  EXPECT_THROW(join_frames({a, b}), CheckFailed);
}

// A surface that lives on the second of three ranks.
TEST(Gather, JoinsWhatLivesOnAnyRank) {
  Frame none{1, 0, 0, {}, {tetrahedron()}}, all = none;
  for (auto& [name, channel] : none.objects[0].channels) channel.resize(0);
  expect_same(join_frames({none, all, none}), all);
}

// Written before places were stored: two strands of two vertices, a tetrahedron, four points.
TEST(FrameWithoutPlaces, IsReadAsItWas) {
  const Frame frame = read_frame_file(YMIR_SOURCE_DIR "/tests/unit/cache/without_places/frame_000001.h5");
  const auto places = [&](std::size_t object) {
    std::map<std::string, Place> found;
    for (const auto& [name, channel] : frame.objects.at(object).channels) found[name] = channel.place;
    return found;
  };
  using Places = std::map<std::string, Place>;
  EXPECT_EQ(places(0), (Places{{"first", Place::object},
                               {"position", Place::vertex},
                               {"radius", Place::vertex},
                               {"strand", Place::strand},
                               {"velocity", Place::vertex}}));
  EXPECT_EQ(places(1), (Places{{"age", Place::particle},
                               {"id", Place::particle},
                               {"position", Place::particle},
                               {"radius", Place::particle},
                               {"velocity", Place::particle}}));
  EXPECT_EQ(places(2), (Places{{"position", Place::vertex}, {"triangles", Place::face}}));
  EXPECT_EQ(frame.objects[0].channels.at("velocity").unit, "m/s");
  EXPECT_EQ(frame.objects[1].channels.at("age").unit, "s");
  EXPECT_EQ(frame.objects[1].channels.at("id").unit, "");
  EXPECT_EQ(curves_of(frame.objects[0]).strand_count(), 2u);
  EXPECT_EQ(surface_of(frame.objects[2]).triangles.size(), 4u);
}

TEST(FrameWithoutPlaces, OfGasAndOfCheckpoints) {
  ObjectState gas{"Smoke", "volume", {}, {}};
  gas.channels["bucket"] = {Place::object, Array(ScalarType::i32, 3, 1)};
  gas.channels["density"] = floats(Place::object, std::vector<float>(512));
  gas.attributes["density.resolution"] = std::int64_t{8};
  EXPECT_EQ(guessed_place(gas, "bucket"), Place::tile);
  EXPECT_EQ(guessed_place(gas, "density"), Place::voxel);
  ObjectState hairs = strands({2, 3}, {0, 1});
  hairs.channels["length"] = floats(Place::object, {1, 2});
  EXPECT_EQ(guessed_place(hairs, "length"), Place::strand);
  ObjectState state{"Hair", "state", {}, {}};
  state.channels["position"] = {Place::vertex, Array(ScalarType::f64, 3, 1)};
  EXPECT_EQ(guessed_place(state, "position"), Place::object);
}

}  // namespace
}  // namespace ymir
