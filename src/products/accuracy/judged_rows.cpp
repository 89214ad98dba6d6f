#include "products/accuracy/judged_rows.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"

namespace kann::accuracy {

std::int64_t PartOfClouds::place_of(std::int64_t data_row) const {
  const auto place = std::ranges::lower_bound(data_rows, data_row);
  return place != data_rows.end() && *place == data_row ? place - data_rows.begin() : -1;
}

Array<std::int32_t> PartOfClouds::places_of(std::span<const std::int64_t> ids, std::int64_t k, int threads) const {
  Array<std::int32_t> places(ids.size());
  base::parallel_chunks(std::ssize(ids), 1 << 12, threads, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const std::int64_t id = ids[i], place = id == k_missing_id ? k_missing_id : place_of(id);
      if (place < 0 && id != k_missing_id)
        throw Error(ErrorKind::bad_input, "accuracy: row " +
                                              std::to_string(query_rows[i / static_cast<std::size_t>(k)]) + " has id " +
                                              std::to_string(id) + " (the data have no such point)");
      places[i] = static_cast<std::int32_t>(place);
    }
  });
  return places;
}

}  // namespace kann::accuracy
