#include "ymir/cache/identity.h"

namespace ymir {
namespace {

const CacheIdentity::Input* find_input(const CacheIdentity& identity, const std::string& path) {
  for (const auto& input : identity.inputs)
    if (input.path == path) return &input;
  return nullptr;
}

}  // namespace

CacheIdentity as_stored(const CacheIdentity& identity) {
  Manifest manifest;
  manifest.identity = identity;
  return parse_manifest(manifest_text(manifest), "identity").identity;
}

std::optional<std::string> difference(const CacheIdentity& then, const CacheIdentity& now) {
  std::string all;
  const auto add = [&](const std::string& what) { all += (all.empty() ? "" : "; ") + what; };
  if (then.setup_hash != now.setup_hash)
    add(then.setup_name == now.setup_name
            ? "the setup " + now.setup_name + " changed"
            : "the cache is of setup " + then.setup_name + ", which differs from " + now.setup_name);
  for (const auto& input : now.inputs) {
    const auto* before = find_input(then, input.path);
    if (before == nullptr)
      add("input " + input.path + " is new");
    else if (before->hash != input.hash)
      add("input " + input.path + " changed");
  }
  for (const auto& input : then.inputs)
    if (find_input(now, input.path) == nullptr) add("input " + input.path + " is no longer used");
  return all.empty() ? std::nullopt : std::optional(all);
}

}  // namespace ymir
