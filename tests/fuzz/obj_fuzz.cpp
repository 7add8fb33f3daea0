#include <cstdint>

#include "expect_mesh.h"
#include "ymir/base/error.h"
#include "ymir/cache/formats/obj.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    ymir::fuzz::expect_valid(ymir::read_obj(bytes, "fuzz"));
  } catch (const ymir::Error&) {
  }
  try {
    ymir::fuzz::expect_valid(ymir::read_obj_curves(bytes, "fuzz"));
  } catch (const ymir::Error&) {
  }
  try {
    ymir::fuzz::expect_valid(ymir::read_obj_points(bytes, "fuzz"));
  } catch (const ymir::Error&) {
  }
  return 0;
}
