// State of a Particle Object: what is shown in frames, stored in checkpoints and restored.
#include <algorithm>

#include "ymir/base/hash.h"
#include "ymir/objects/particle_object.h"
#include "ymir/parallel/bytes.h"

namespace ymir {

std::vector<Channel> ParticleObject::list(ParticleObject* points) {
  using enum Place;
  const std::vector<ChannelInfo> known{
      described<Vec3d>("position", particle, "m", "Centre.", Use::shown | Use::kept | Use::writable),
      described<Vec3d>("velocity", particle, "m/s", "Of the centre.", Use::shown | Use::kept | Use::writable),
      described<std::uint64_t>("id", particle, "",
                               "Number that it keeps: the source in the upper 20 bits, 0 for a file, and the birth.",
                               Use::shown | Use::kept),
      described<double>("age", particle, "s", "Time since its birth.", Use::shown | Use::kept),
      described<double>("radius", particle, "m", "Of the ball that it is.", Use::shown | Use::kept | Use::writable),
      described<double>("mass", particle, "kg", "Of that ball.", Use::kept)};
  std::vector<Channel> all;
  const auto add = [&](ChannelInfo info, std::function<Array()> read) {
    all.push_back({std::move(info), std::move(read), {}, {}});
  };
  if (points == nullptr) {
    for (const ChannelInfo& info : known) add(info, {});
    add(described<double>("<name>", particle, "", "Any other real value of a file: overrides a parameter of its name.",
                          Use::kept | Use::writable),
        {});
  }
  for (int c = 0; points != nullptr && c < points->particles_.channel_count(); ++c) {
    const std::string& name = points->particles_.channel_name(c);
    const auto found = std::find_if(known.begin(), known.end(), [&](const ChannelInfo& k) { return k.name == name; });
    const auto given = points->particles_.holds<double>(c) ? described<double> : described<Vec3d>;
    add(found != known.end()
            ? *found
            : given(name, particle, "", "Overrides a parameter of this name.", Use::kept | Use::writable),
        [=] { return points->particles_.export_local(c); });
  }
  add(described<std::int64_t>("@born", object, "", "Births of each source so far; the same on every rank.", Use::kept),
      [=] { return Array::of(points->born_); });
  add(described<double>("density", particle, "kg/m^3", "With the radius it gives the mass.", Use::writable), {});
  return all;
}

void ParticleObject::restore(const ObjectState* whole) {
  ParticleBatch batch = particles_.make_batch(0);
  Bytes born;
  if (whole != nullptr) {
    expect_kept(*whole);
    for (int c = 0; c < particles_.channel_count(); ++c)
      batch[static_cast<std::size_t>(c)] = whole->channels.find(particles_.channel_name(c))->second;
    born = whole->channels.find("@born")->second.bytes();
  }
  particles_.domain().communicator().broadcast(born);
  born_ = from_bytes<std::int64_t>(born);
  particles_.clear();
  particles_.append(batch);
  ++version_;
}

std::uint64_t ParticleObject::hash() const {
  std::uint64_t h = particles_.hash(id_);
  for (const std::int64_t born : born_) h = hash_combine(h, static_cast<std::uint64_t>(born));
  return h;
}

}  // namespace ymir
