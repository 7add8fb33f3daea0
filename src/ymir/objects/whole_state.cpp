#include "ymir/objects/whole_state.h"

#include "ymir/parallel/message.h"

namespace ymir {
namespace {

void write(MessageWriter& out, const std::string& text) { out.put_list(std::vector<char>(text.begin(), text.end())); }

std::string read_text(MessageReader& in) {
  const std::vector<char> text = in.get_list<char>();
  return {text.begin(), text.end()};
}

}  // namespace

std::optional<ObjectState> brought_to(int owner, const ObjectState* whole, Communicator& communicator) {
  std::vector<Bytes> out(static_cast<std::size_t>(communicator.size()));
  if (communicator.root() && whole != nullptr) {
    MessageWriter message(out[static_cast<std::size_t>(owner)]);
    write(message, whole->name);
    write(message, whole->kind);
    for (const auto& [name, channel] : whole->channels) {
      write(message, name);
      message.put(channel.place);
      write(message, channel.unit);
      message.put(channel.type());
      message.put(channel.components());
      message.put_list(channel.bytes());
    }
  }
  const std::vector<Bytes> in = communicator.all_to_all(std::move(out));
  if (in[0].empty()) return std::nullopt;
  MessageReader message(in[0]);
  ObjectState state;
  state.name = read_text(message);
  state.kind = read_text(message);
  while (!message.done()) {
    StoredChannel& channel = state.channels[read_text(message)];
    channel.place = message.get<Place>();
    channel.unit = read_text(message);
    const auto type = message.get<ScalarType>();
    static_cast<Array&>(channel) = Array(type, message.get<int>(), 0);
    channel.bytes() = message.get_list<std::byte>();
  }
  return state;
}

}  // namespace ymir
