#include "ymir/cache/frame_image.h"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "ymir/base/check.h"
#include "ymir/base/error.h"
#include "ymir/cache/guessed_place.h"

namespace ymir {
namespace {

constexpr std::int64_t format_version = 1;
constexpr std::size_t chunk_bytes = std::size_t{1} << 18;      // one unit of compression
constexpr std::size_t max_chunk_bytes = std::size_t{1} << 24;  // refused when larger
constexpr std::size_t max_deflate_ratio = 1032;                // zlib cannot expand by more
constexpr int max_depth = 64;                                  // of nested groups
constexpr std::size_t max_links = 1'000'000;                   // in one file

constexpr std::array frame_reserved{"ymir_version", "number", "time", "hash"};
constexpr std::array object_reserved{"kind", "ymir_name", "ymir_index"};

template <class Names>
bool is_one_of(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// HDF5 prints its error stack by default; here errors become exceptions, and the caller's handler comes back.
class SilentErrors {
 public:
  SilentErrors() {
    H5Eget_auto2(H5E_DEFAULT, &handler_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~SilentErrors() {
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, handler_, data_);
  }
  SilentErrors(const SilentErrors&) = delete;
  SilentErrors& operator=(const SilentErrors&) = delete;

 private:
  H5E_auto2_t handler_ = nullptr;
  void* data_ = nullptr;
};

class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  operator hid_t() const { return id_; }
  bool finish() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// Where an error happened: every failed call below names the file and the place in it.
struct Location {
  std::string label;
  std::string path;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ExitCode::io, label + ": " + path + ": " + what);
  }
  void require(bool condition, const char* what) const {
    if (!condition) fail(what);
  }
  Handle open(hid_t id, herr_t (*close)(hid_t), const char* what) const {
    require(id >= 0, what);
    return {id, close};
  }
};

hid_t file_type(ScalarType type) {
  switch (type) {
    case ScalarType::f32: return H5T_IEEE_F32LE;
    case ScalarType::f64: return H5T_IEEE_F64LE;
    case ScalarType::i32: return H5T_STD_I32LE;
    case ScalarType::i64: return H5T_STD_I64LE;
    case ScalarType::u8: return H5T_STD_U8LE;
    case ScalarType::u64: return H5T_STD_U64LE;
  }
  return H5I_INVALID_HID;
}

// HDF5 crashes where it gets no memory for what it keeps of a file (H5AC_create).
void require_memory() {
  constexpr std::size_t kept = std::size_t{1} << 23;
  void* volatile room = std::malloc(kept);
  if (room == nullptr)
    throw Error(ExitCode::io, "a frame does not fit in memory; free some, or allow more (ulimit -v)");
  std::free(room);
}

Handle file_access() {
  require_memory();
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const bool ok = access >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0 &&
                  H5Pset_fapl_core(access, std::size_t{1} << 22, false) >= 0;
  if (!ok) throw Error(ExitCode::io, "HDF5: cannot hold a file in memory");
  return access;
}

// ---- writing ----

// Keeps the memory of an HDF5 file when HDF5 closes it. (H5Fget_file_image, which copies an open file, clears a flag in
// the superblock without renewing its checksum, so its copies of files in the latest format cannot be opened.)
class ClosedImage {
 public:
  ~ClosedImage() { std::free(memory_); }
  void attach(hid_t access, const Location& at) {
    H5FD_file_image_callbacks_t callbacks{};
    callbacks.image_malloc = [](std::size_t size, H5FD_file_image_op_t, void*) { return std::malloc(size); };
    callbacks.image_memcpy = [](void* to, const void* from, std::size_t size, H5FD_file_image_op_t, void*) {
      return std::memcpy(to, from, size);
    };
    callbacks.image_realloc = [](void* memory, std::size_t size, H5FD_file_image_op_t, void* self) {
      static_cast<ClosedImage*>(self)->size_ = size;
      return std::realloc(memory, size);
    };
    callbacks.image_free = [](void* memory, H5FD_file_image_op_t, void* self) -> herr_t {
      std::free(std::exchange(static_cast<ClosedImage*>(self)->memory_, static_cast<std::byte*>(memory)));
      return 0;
    };
    callbacks.udata_copy = [](void* self) { return self; };
    callbacks.udata_free = [](void*) -> herr_t { return 0; };
    callbacks.udata = this;
    at.require(H5Pset_file_image_callbacks(access, &callbacks) >= 0, "cannot be held in memory");
  }
  // Memory is allocated ahead; the superblock says where the file ends.
  Bytes bytes(const Location& at) const {
    constexpr std::size_t end_address = 28, superblock = 48;
    std::uint64_t end = 0;
    at.require(memory_ != nullptr && size_ >= superblock, "HDF5 kept nothing");
    std::memcpy(&end, memory_ + end_address, sizeof end);
    at.require(end >= superblock && end <= size_, "HDF5 kept an incomplete file");
    return {memory_, memory_ + end};
  }

 private:
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
};

class Writer {
 public:
  Bytes write(const Frame& frame);

 private:
  // Creation properties without dates, so that equal frames are equal files.
  Handle creation(hid_t kind) const {
    Handle list = at_.open(H5Pcreate(kind), H5Pclose, "cannot create properties");
    at_.require(H5Pset_obj_track_times(list, false) >= 0, "cannot leave out dates");
    return list;
  }
  void write_attribute(hid_t owner, const std::string& name, hid_t type, const void* value) const;
  void write_attribute(hid_t owner, const std::string& name, const Attribute& value) const;
  void add_group(const std::string& path);
  std::string add_object_group(const std::string& name);
  void write_channel(const std::string& group, const std::string& name, const StoredChannel& array);

  Location at_{"frame", "/"};
  Handle links_{H5Pcreate(H5P_LINK_CREATE), H5Pclose};
  Handle names_{H5Pcreate(H5P_ATTRIBUTE_CREATE), H5Pclose};
  ClosedImage image_;
  Handle file_{-1, H5Fclose};
  std::set<std::string> taken_;         // link paths
  std::set<std::string> object_paths_;  // of those, groups that are an object
};

Bytes Writer::write(const Frame& frame) {
  const Handle access = file_access();
  image_.attach(access, at_);
  const Handle file_creation = creation(H5P_FILE_CREATE);
  at_.require(H5Pset_char_encoding(links_, H5T_CSET_UTF8) >= 0, "cannot use UTF-8");
  at_.require(H5Pset_char_encoding(names_, H5T_CSET_UTF8) >= 0, "cannot use UTF-8");
  file_ = at_.open(H5Fcreate("frame", H5F_ACC_TRUNC, file_creation, access), H5Fclose, "cannot create");

  write_attribute(file_, "ymir_version", format_version);
  write_attribute(file_, "number", frame.number);
  write_attribute(file_, "time", frame.time);
  write_attribute(file_, "hash", H5T_STD_U64LE, &frame.hash);
  for (const auto& [name, value] : frame.attributes) {
    YMIR_CHECK(!is_one_of(frame_reserved, name));
    write_attribute(file_, name, value);
  }
  // All groups come before all datasets, so that a dataset never takes the name of a group that is still to come.
  add_group("/objects");
  std::vector<std::string> groups;
  for (std::size_t o = 0; o < frame.objects.size(); ++o) {
    const ObjectState& object = frame.objects[o];
    groups.push_back(add_object_group(object.name));
    at_.path = groups.back();
    const Handle group = at_.open(H5Gopen2(file_, groups.back().c_str(), H5P_DEFAULT), H5Gclose, "cannot open group");
    write_attribute(group, "kind", object.kind);
    write_attribute(group, "ymir_name", object.name);
    write_attribute(group, "ymir_index", static_cast<std::int64_t>(o));
    for (const auto& [name, value] : object.attributes) {
      YMIR_CHECK(!is_one_of(object_reserved, name));
      write_attribute(group, name, value);
    }
  }
  for (std::size_t o = 0; o < frame.objects.size(); ++o)
    for (const auto& [name, array] : frame.objects[o].channels) write_channel(groups[o], name, array);

  at_.path = "/";
  at_.require(file_.finish(), "cannot be completed");
  return image_.bytes(at_);
}

void Writer::write_attribute(hid_t owner, const std::string& name, hid_t type, const void* value) const {
  const Handle space = at_.open(H5Screate(H5S_SCALAR), H5Sclose, "cannot create attribute");
  const Handle attribute =
      at_.open(H5Acreate2(owner, name.c_str(), type, space, names_, H5P_DEFAULT), H5Aclose, "cannot create attribute");
  at_.require(H5Awrite(attribute, type, value) >= 0, "cannot write attribute");
}

void Writer::write_attribute(hid_t owner, const std::string& name, const Attribute& value) const {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    write_attribute(owner, name, H5T_STD_I64LE, integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    write_attribute(owner, name, H5T_IEEE_F64LE, real);
  } else {
    // Fixed length: unlike variable-length strings it lives in checksummed metadata. An empty one is a single NUL.
    const auto& text = std::get<std::string>(value);
    const Handle type = at_.open(H5Tcopy(H5T_C_S1), H5Tclose, "cannot create string type");
    const bool ok = H5Tset_size(type, std::max<std::size_t>(text.size(), 1)) >= 0 &&
                    H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    at_.require(ok, "cannot create string type");
    write_attribute(owner, name, type, text.c_str());
  }
}

void Writer::add_group(const std::string& path) {
  if (!taken_.insert(path).second) return;
  at_.path = path;
  const Handle group_creation = creation(H5P_GROUP_CREATE);
  at_.open(H5Gcreate2(file_, path.c_str(), links_, group_creation, H5P_DEFAULT), H5Gclose, "cannot create group");
}

// A name that HDF5 accepts as one link: not empty, not ".", no '/' and no NUL.
std::string link_of(std::string_view name) {
  std::string link(name);
  for (char& c : link)
    if (c == '/' || c == '\0') c = '_';
  return link.empty() || link == "." ? link + "_" : link;
}

std::string Writer::add_object_group(const std::string& name) {
  std::string path = "/objects";
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = name.find('/', begin);
    path += '/';
    path += link_of(std::string_view(name).substr(begin, end == std::string::npos ? end : end - begin));
    if (end != std::string::npos) add_group(path);
  }
  while (object_paths_.contains(path)) path += "_";
  object_paths_.insert(path);
  add_group(path);
  return path;
}

void Writer::write_channel(const std::string& group, const std::string& name, const StoredChannel& array) {
  std::string path = group + "/" + link_of(name);
  while (!taken_.insert(path).second) path += "_";
  at_.path = path;

  const std::size_t scalar = size_of(array.type());
  const auto components = static_cast<std::size_t>(array.components());
  const std::array<hsize_t, 2> shape{array.count(), components};
  const int rank = components == 1 ? 1 : 2;
  const Handle space = at_.open(H5Screate_simple(rank, shape.data(), nullptr), H5Sclose, "cannot create dataspace");
  const Handle dataset_creation = creation(H5P_DATASET_CREATE);
  if (array.count() > 0) {
    const std::size_t columns = std::min(components, chunk_bytes / scalar);
    const std::size_t rows = std::clamp<std::size_t>(chunk_bytes / (columns * scalar), 1, array.count());
    const std::array<hsize_t, 2> chunk{rows, columns};
    const bool ok = H5Pset_chunk(dataset_creation, rank, chunk.data()) >= 0 && H5Pset_shuffle(dataset_creation) >= 0 &&
                    H5Pset_deflate(dataset_creation, 1) >= 0 && H5Pset_fletcher32(dataset_creation) >= 0;
    at_.require(ok, "cannot set up compression");
  }
  const Handle dataset =
      at_.open(H5Dcreate2(file_, path.c_str(), file_type(array.type()), space, links_, dataset_creation, H5P_DEFAULT),
               H5Dclose, "cannot create dataset");
  if (path.substr(group.size() + 1) != name) write_attribute(dataset, "ymir_name", name);
  write_attribute(dataset, "place", std::string(name_of(array.place)));
  if (!array.unit.empty()) write_attribute(dataset, "unit", array.unit);
  if (array.count() > 0)
    at_.require(H5Dwrite(dataset, file_type(array.type()), H5S_ALL, H5S_ALL, H5P_DEFAULT, array.bytes().data()) >= 0,
                "cannot compress");
}

// ---- reading ----

class Reader {
 public:
  Reader(std::span<const std::byte> image, const std::string& label) : image_(image), at_{label, "/"} {}
  Frame read();

 private:
  struct Found {
    std::int64_t index;
    ObjectState object;
  };
  std::vector<std::string> link_names(hid_t group) const;
  std::vector<std::string> attribute_names(hid_t owner) const;
  Attribute read_attribute(hid_t owner, const std::string& name) const;
  std::uint64_t read_u64(hid_t owner, const std::string& name) const;
  template <class T>
  T read_attribute_as(hid_t owner, const std::string& name) const;
  template <class Names>
  Attributes read_attributes(hid_t owner, const Names& except) const;
  void visit(hid_t parent, const std::string& path, int depth);
  Array read_channel(hid_t dataset) const;
  Place read_place(hid_t dataset) const;
  ScalarType channel_type(hid_t dataset) const;
  void check_storage(hid_t dataset, int rank, std::size_t bytes, std::size_t scalar) const;

  std::span<const std::byte> image_;
  Location at_;
  std::vector<Found> found_;
  std::size_t links_ = 0;
};

herr_t collect(std::vector<std::string>& names, const char* name) noexcept {
  try {
    names.emplace_back(name);
    return 0;
  } catch (...) {
    return -1;
  }
}
herr_t collect_link(hid_t, const char* name, const H5L_info_t* info, void* names) {
  // Soft and external links could lead out of the file, or around in it.
  if (info->type != H5L_TYPE_HARD) return -1;
  return collect(*static_cast<std::vector<std::string>*>(names), name);
}
herr_t collect_attribute(hid_t, const char* name, const H5A_info_t*, void* names) {
  return collect(*static_cast<std::vector<std::string>*>(names), name);
}

std::vector<std::string> Reader::link_names(hid_t group) const {
  std::vector<std::string> names;
  at_.require(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_link, &names) >= 0,
              "cannot list the group");
  return names;
}

std::vector<std::string> Reader::attribute_names(hid_t owner) const {
  std::vector<std::string> names;
  at_.require(H5Aiterate2(owner, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_attribute, &names) >= 0,
              "cannot list attributes");
  return names;
}

Attribute Reader::read_attribute(hid_t owner, const std::string& name) const {
  const Handle attribute = at_.open(H5Aopen(owner, name.c_str(), H5P_DEFAULT), H5Aclose, "an attribute is missing");
  const Handle space = at_.open(H5Aget_space(attribute), H5Sclose, "an attribute has no shape");
  const Handle type = at_.open(H5Aget_type(attribute), H5Tclose, "an attribute has no type");
  at_.require(H5Sget_simple_extent_type(space) == H5S_SCALAR, "an attribute is not a scalar");
  if (H5Tequal(type, H5T_STD_I64LE) > 0) {
    std::int64_t value = 0;
    at_.require(H5Aread(attribute, H5T_STD_I64LE, &value) >= 0, "an attribute is unreadable");
    return value;
  }
  if (H5Tequal(type, H5T_IEEE_F64LE) > 0) {
    double value = 0;
    at_.require(H5Aread(attribute, H5T_IEEE_F64LE, &value) >= 0, "an attribute is unreadable");
    return value;
  }
  at_.require(H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0, "an attribute has an unknown type");
  std::string text(H5Tget_size(type), '\0');
  at_.require(text.size() <= image_.size(), "an attribute is longer than the file");
  at_.require(H5Aread(attribute, type, text.data()) >= 0, "an attribute is unreadable");
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

std::uint64_t Reader::read_u64(hid_t owner, const std::string& name) const {
  const Handle attribute = at_.open(H5Aopen(owner, name.c_str(), H5P_DEFAULT), H5Aclose, "an attribute is missing");
  const Handle space = at_.open(H5Aget_space(attribute), H5Sclose, "an attribute has no shape");
  const Handle type = at_.open(H5Aget_type(attribute), H5Tclose, "an attribute has no type");
  const bool right = H5Sget_simple_extent_type(space) == H5S_SCALAR && H5Tequal(type, H5T_STD_U64LE) > 0;
  std::uint64_t value = 0;
  at_.require(right && H5Aread(attribute, H5T_STD_U64LE, &value) >= 0, "an attribute is not an unsigned number");
  return value;
}

template <class T>
T Reader::read_attribute_as(hid_t owner, const std::string& name) const {
  Attribute value = read_attribute(owner, name);
  T* typed = std::get_if<T>(&value);
  if (typed == nullptr) at_.fail("attribute " + name + " has the wrong type");
  return std::move(*typed);
}

template <class Names>
Attributes Reader::read_attributes(hid_t owner, const Names& except) const {
  Attributes attributes;
  for (const std::string& name : attribute_names(owner))
    if (!is_one_of(except, name)) attributes.emplace(name, read_attribute(owner, name));
  return attributes;
}

Frame Reader::read() {
  const Handle access = file_access();
  // HDF5 takes the image by value; const_cast because its interface cannot say so.
  at_.require(H5Pset_file_image(access, const_cast<std::byte*>(image_.data()), image_.size()) >= 0, "cannot be held");
  const Handle file = at_.open(H5Fopen("frame", H5F_ACC_RDONLY, access), H5Fclose, "not a readable HDF5 file");

  Frame frame;
  const auto version = read_attribute_as<std::int64_t>(file, "ymir_version");
  if (version != format_version)
    at_.fail("format version " + std::to_string(version) + ", but this program reads version " +
             std::to_string(format_version) + "; use the program that wrote it");
  frame.number = read_attribute_as<std::int64_t>(file, "number");
  frame.time = read_attribute_as<double>(file, "time");
  frame.hash = read_u64(file, "hash");
  frame.attributes = read_attributes(file, frame_reserved);

  const Handle objects = at_.open(H5Gopen2(file, "/objects", H5P_DEFAULT), H5Gclose, "has no group /objects");
  visit(objects, "/objects", 0);
  std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.index < b.index; });
  for (std::size_t o = 0; o < found_.size(); ++o) {
    at_.require(found_[o].index == static_cast<std::int64_t>(o), "the objects are not numbered 0, 1, 2, ...");
    frame.objects.push_back(std::move(found_[o].object));
  }
  return frame;
}

// Reads the object that this group is (if it is one) and those nested in it.
void Reader::visit(hid_t parent, const std::string& path, int depth) {
  at_.path = path;
  at_.require(depth <= max_depth, "groups are nested too deeply");
  const bool is_object = H5Aexists(parent, "ymir_index") > 0;
  Found found;
  std::vector<std::string> without_place;  // of a program that did not store it
  if (is_object) {
    found.index = read_attribute_as<std::int64_t>(parent, "ymir_index");
    found.object.name = read_attribute_as<std::string>(parent, "ymir_name");
    found.object.kind = read_attribute_as<std::string>(parent, "kind");
    found.object.attributes = read_attributes(parent, object_reserved);
  }
  for (const std::string& link : link_names(parent)) {
    at_.path = path + "/" + link;
    at_.require(++links_ <= max_links, "too many groups and datasets");
    const Handle child = at_.open(H5Oopen(parent, link.c_str(), H5P_DEFAULT), H5Oclose, "cannot be opened");
    const H5I_type_t type = H5Iget_type(child);
    if (type == H5I_GROUP) {
      visit(child, path + "/" + link, depth + 1);
      continue;
    }
    at_.require(type == H5I_DATASET && is_object, "is neither an object nor a channel of one");
    std::string name = link;
    if (H5Aexists(child, "ymir_name") > 0) name = read_attribute_as<std::string>(child, "ymir_name");
    StoredChannel channel(Place::object, read_channel(child));
    if (H5Aexists(child, "place") > 0)
      channel.place = read_place(child);
    else
      without_place.push_back(name);
    if (H5Aexists(child, "unit") > 0) channel.unit = read_attribute_as<std::string>(child, "unit");
    at_.require(found.object.channels.emplace(name, std::move(channel)).second, "channel stored twice");
  }
  for (const std::string& name : without_place) {
    StoredChannel& channel = found.object.channels.find(name)->second;
    channel.place = guessed_place(found.object, name);
    channel.unit = guessed_unit(found.object, name);
  }
  if (is_object) found_.push_back(std::move(found));
}

ScalarType Reader::channel_type(hid_t dataset) const {
  const Handle type = at_.open(H5Dget_type(dataset), H5Tclose, "has no type");
  for (const ScalarType scalar :
       {ScalarType::f32, ScalarType::f64, ScalarType::i32, ScalarType::i64, ScalarType::u8, ScalarType::u64})
    if (H5Tequal(type, file_type(scalar)) > 0) return scalar;
  at_.fail("holds an unknown type of number");
}

Place Reader::read_place(hid_t dataset) const {
  const auto name = read_attribute_as<std::string>(dataset, "place");
  const std::optional<Place> place = place_named(name);
  if (!place) at_.fail("lives on '" + name + "', which this program does not know; use the program that wrote it");
  return *place;
}

Array Reader::read_channel(hid_t dataset) const {
  const ScalarType scalar = channel_type(dataset);
  const Handle space = at_.open(H5Dget_space(dataset), H5Sclose, "has no shape");
  const int rank = H5Sget_simple_extent_ndims(space);
  at_.require(H5Sget_simple_extent_type(space) == H5S_SIMPLE && (rank == 1 || rank == 2), "is not a list of tuples");
  std::array<hsize_t, 2> shape{0, 1};
  at_.require(H5Sget_simple_extent_dims(space, shape.data(), nullptr) == rank, "has no shape");
  at_.require(shape[1] >= 1 && shape[1] <= std::numeric_limits<int>::max(), "has an impossible number of components");
  const std::size_t stride = shape[1] * size_of(scalar);
  at_.require(shape[0] <= std::numeric_limits<std::size_t>::max() / stride, "has an impossible number of elements");
  if (shape[0] > 0) check_storage(dataset, rank, shape[0] * stride, size_of(scalar));

  Array array(scalar, static_cast<int>(shape[1]), shape[0]);
  if (shape[0] > 0)
    at_.require(H5Dread(dataset, file_type(scalar), H5S_ALL, H5S_ALL, H5P_DEFAULT, array.bytes().data()) >= 0,
                "cannot be decompressed");
  return array;
}

// The data must lie in this file, in chunks of sane size, through our three filters, and may not claim more bytes than
// those stored could expand to.
void Reader::check_storage(hid_t dataset, int rank, std::size_t bytes, std::size_t scalar) const {
  const Handle creation = at_.open(H5Dget_create_plist(dataset), H5Pclose, "has no layout");
  std::array<hsize_t, 2> chunk{1, 1};
  at_.require(H5Pget_layout(creation) == H5D_CHUNKED && H5Pget_chunk(creation, rank, chunk.data()) == rank,
              "is not stored in chunks");
  at_.require(
      chunk[0] <= max_chunk_bytes && chunk[1] <= max_chunk_bytes && chunk[0] * chunk[1] <= max_chunk_bytes / scalar,
      "has chunks that are too large");
  const int filters = H5Pget_nfilters(creation);
  for (int f = 0; f < filters; ++f) {
    unsigned flags = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation, static_cast<unsigned>(f), &flags, &values, nullptr, 0, nullptr, nullptr);
    at_.require(filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_FLETCHER32,
                "uses a filter that Ymir does not write");
  }
  const std::size_t stored = H5Dget_storage_size(dataset);
  at_.require(stored > 0 && stored <= image_.size() && bytes / max_deflate_ratio <= stored,
              "claims more data than the file holds");
}

}  // namespace

Bytes encode_frame(const Frame& frame) {
  const SilentErrors silent;
  return Writer().write(frame);
}

Frame decode_frame(std::span<const std::byte> image, const std::string& label) {
  const SilentErrors silent;
  return Reader(image, label).read();
}

}  // namespace ymir
