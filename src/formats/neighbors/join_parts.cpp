#include "formats/neighbors/join_parts.hpp"

#include <algorithm>
#include <utility>

#include "kann/error.hpp"

#include "formats/neighbors/shared_result.hpp"
#include "formats/zip/crc32.hpp"

namespace kann::formats {

FileSizes sizes_of_arrays(std::span<const ArrayPlace> places) {
  FileSizes sizes;
  for (const ArrayPlace& place : places) {
    std::uint64_t& size = place.is_in_distances_file ? sizes.distances : sizes.file;
    size = std::max(size, place.begin + place.size);
  }
  return sizes;
}

JoinedParts join_parts(std::span<const ArrayPlace> places, std::int64_t queries,
                       std::span<const std::vector<std::byte>> parts, const std::string& name) {
  const auto check = [&](bool holds) {
    if (!holds) throw Error(ErrorKind::internal, name + ": the parts are not those of all rows");
  };
  JoinedParts joined;
  joined.checksums.resize(places.size());
  std::int64_t next = 0;
  for (const std::vector<std::byte>& bytes : parts) {
    WrittenPart part = unpacked_part(bytes);
    check(part.first == next && part.arrays.size() == places.size());
    next += part.queries;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::uint64_t row_size = places[i].size / static_cast<std::uint64_t>(queries);
      std::uint32_t& checksum = joined.checksums[i];
      WrittenPart::Array& array = part.arrays[i];
      checksum = joined_crc32(checksum, array.checksum, row_size * static_cast<std::uint64_t>(part.queries));
      const bool is_second = places[i].is_in_distances_file;
      auto& held_back = is_second ? joined.held_back_of_distances : joined.held_back;
      auto& samples = is_second ? joined.samples_of_distances : joined.samples;
      held_back.push_back(std::move(array.head));
      held_back.push_back(std::move(array.tail));
      samples.push_back(std::move(array.first_sample));
      samples.push_back(std::move(array.last_sample));
    }
  }
  check(next == queries);
  return joined;
}

}  // namespace kann::formats
