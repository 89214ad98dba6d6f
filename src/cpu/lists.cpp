#include "cpu/lists.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/threads/parallel.hpp"
#include "geometry/float_bits.hpp"

namespace kann::cpu {

ListCollector::ListCollector(std::int64_t queries, std::int64_t most_neighbors)
    : most_(most_neighbors), counts_(static_cast<std::size_t>(queries)) {}

FoundKeys ListCollector::room_for(std::int64_t count) const {
  FoundKeys found;
  const double per_row = static_cast<double>(neighbors_) / static_cast<double>(std::max<std::int64_t>(1, added_));
  const double room = 1.25 * per_row * static_cast<double>(count);
  found.keys.resize(static_cast<std::size_t>(std::min(room, static_cast<double>(k_many_keys))));
  return found;
}

void ListCollector::add(const std::uint32_t* rows, std::int64_t count, FoundKeys found) {
  std::int64_t in_rows = 0;
  for (std::int64_t i = 0; i < count; ++i) in_rows += counts_[rows[i]];
  neighbors_ += in_rows;
  added_ += count;
  const std::lock_guard lock(mutex_);
  if (!keeps_rows()) return parts_.clear();
  parts_.push_back({rows, count, std::move(found.keys)});
}

NeighborLists ListCollector::finish(int threads) {
  NeighborLists lists;
  lists.begins.resize(counts_.size() + 1);
  lists.begins[0] = 0;
  std::inclusive_scan(counts_.begin(), counts_.end(), lists.begins.begin() + 1, std::plus<>(), std::int64_t{0});
  if (!keeps_rows()) return lists;
  lists.ids.resize(static_cast<std::size_t>(lists.begins.back()));
  lists.distances.resize(lists.ids.size());
  base::parallel_chunks(std::ssize(parts_), 1, threads, [&](std::int64_t begin, std::int64_t) {
    Part part = std::move(parts_[static_cast<std::size_t>(begin)]);  // so that its memory is given back
    const std::uint64_t* key = part.keys.data();
    for (std::int64_t i = 0; i < part.count; ++i) {
      std::int64_t at = lists.begins[part.rows[i]];
      for (const std::int64_t end = lists.begins[part.rows[i] + 1]; at < end; ++at, ++key) {
        lists.ids[static_cast<std::size_t>(at)] = static_cast<std::int32_t>(*key);
        lists.distances[static_cast<std::size_t>(at)] = geometry::float_of(static_cast<std::uint32_t>(*key >> 32));
      }
    }
  });
  return lists;
}

}  // namespace kann::cpu
