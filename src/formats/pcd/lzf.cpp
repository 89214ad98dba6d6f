#include "formats/pcd/lzf.hpp"

#include <cstddef>
#include <cstring>

namespace kann::formats {

bool decompress_lzf(std::string_view from, std::span<char> to) {
  std::size_t in = 0, out = 0;
  const auto byte = [&] { return static_cast<std::size_t>(static_cast<unsigned char>(from[in++])); };
  while (in < from.size()) {
    const std::size_t control = byte();
    if (control < 32) {  // control + 1 bytes follow as they are
      const std::size_t length = control + 1;
      if (length > from.size() - in || length > to.size() - out) return false;
      std::memcpy(to.data() + out, from.data() + in, length);
      in += length;
      out += length;
      continue;
    }
    std::size_t length = control >> 5;
    if (from.size() - in < (length == 7 ? 2u : 1u)) return false;
    if (length == 7) length += byte();
    length += 2;
    const std::size_t distance = ((control & 31) << 8 | byte()) + 1;
    if (distance > out || length > to.size() - out) return false;
    for (std::size_t i = 0; i < length; ++i, ++out) to[out] = to[out - distance];  // may overlap: a run repeats itself
  }
  return out == to.size();
}

}  // namespace kann::formats
