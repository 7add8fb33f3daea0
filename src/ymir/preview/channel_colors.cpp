#include "ymir/preview/channel_colors.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "ymir/preview/canvas.h"

namespace ymir {
namespace {

template <class T>
void append(const Array& array, std::vector<float>& out) {
  if (!array.holds<T>()) return;
  for (const T& v : array.as<T>()) out.push_back(static_cast<float>(v));
}

template <class T>
void append_vectors(const Array& array, int component, std::vector<float>& out) {
  if (!array.holds<T>()) return;
  for (const T& v : array.as<T>()) out.push_back(static_cast<float>(component < 0 ? norm(v) : v[component]));
}

}  // namespace

ColoredBy stored_channel(const ObjectState& object, const std::string& channel) {
  const std::string name = channel == "speed" && !object.channels.contains(channel) ? "velocity" : channel;
  if (!object.channels.contains(name) && name.size() > 2 && name[name.size() - 2] == '.')
    if (const auto axis = std::string_view("xyz").find(name.back()); axis != std::string_view::npos)
      return {name.substr(0, name.size() - 2), static_cast<int>(axis)};
  return {name, -1};
}

std::string channel_unit(const Frame& frame, const std::string& channel) {
  for (const ObjectState& object : frame.objects)
    if (const auto found = object.channels.find(stored_channel(object, channel).name); found != object.channels.end())
      return found->second.unit;
  return "";
}

std::vector<float> channel_values(const ObjectState& object, const std::string& channel) {
  std::vector<float> values;
  const auto [name, component] = stored_channel(object, channel);
  const auto found = object.channels.find(name);
  if (found == object.channels.end()) return values;
  append_vectors<Vec3f>(found->second, component, values);
  append_vectors<Vec3d>(found->second, component, values);
  if (component >= 0) return values;
  append<float>(found->second, values);
  append<double>(found->second, values);
  append<std::int32_t>(found->second, values);
  append<std::int64_t>(found->second, values);
  append<std::uint64_t>(found->second, values);
  return values;
}

std::optional<std::pair<double, double>> channel_range(const Frame& frame, const std::string& channel) {
  std::vector<float> all;
  bool known = false;
  for (const ObjectState& object : frame.objects) {
    const std::vector<float> values = channel_values(object, channel);
    known = known || !values.empty();
    std::copy_if(values.begin(), values.end(), std::back_inserter(all), [](float v) { return std::isfinite(v); });
  }
  if (!known) return std::nullopt;
  if (all.empty()) return std::pair(0.0, 0.0);
  const auto at = [&](double share) {
    const auto place = all.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(all.size() - 1));
    std::nth_element(all.begin(), place, all.end());
    return static_cast<double>(*place);
  };
  const double low = at(0.005);
  return std::pair(low, at(0.995));
}

std::string channel_names(const Frame& frame) {
  std::set<std::string> names;
  for (const ObjectState& object : frame.objects)
    for (const auto& [name, array] : object.channels) {
      // Values of the whole and coordinates of tiles or corners are no colours.
      if (array.place == Place::object || array.holds<Vec3i>()) continue;
      names.insert(name);
      if (name == "velocity") names.insert("speed");
    }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

void draw_key(Image& image, const ChannelColors& colors) {
  const int letter = std::max(1, image.height / 270), margin = 6 * letter, bar = 60 * letter;
  const std::string title = colors.channel + (colors.unit.empty() ? "" : " [" + colors.unit + "]");
  const int wide = std::max(Canvas::text_width(title, letter), Canvas::bar_width + 12 + 8 * 4 * letter);
  const int x = image.width - wide - 2 * margin, y = image.height - bar - 7 * letter - 3 * margin;
  Canvas canvas(std::move(image));
  for (int j = y; j < canvas.height() - margin / 2; ++j)
    for (int i = x - margin; i < canvas.width() - margin / 2; ++i) canvas.blend(i, j, {0.02f, 0.02f, 0.025f}, 0.6f);
  constexpr Vec3f ink{0.85f, 0.85f, 0.85f};
  canvas.text(x, y + margin, title, letter, ink);
  canvas.scale(x, y + 7 * letter + 2 * margin - margin / 2, bar, colors.low, colors.high, letter, ink);
  image = canvas.take();
}

}  // namespace ymir
