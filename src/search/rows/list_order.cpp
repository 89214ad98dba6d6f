#include "search/rows/list_order.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <vector>

#include "base/threads/parallel.hpp"

namespace kann::detail {
namespace {

/// A neighbour as one number that is ordered by (distance, id). No distance is negative, so that its bits are in the
/// order of its values.
__extension__ using Key = unsigned __int128;

Key key_of(std::uint64_t upper, std::uint64_t lower) { return static_cast<Key>(upper) << 64 | lower; }
std::uint64_t upper(Key key) { return static_cast<std::uint64_t>(key >> 64); }
std::uint64_t lower(Key key) { return static_cast<std::uint64_t>(key); }

/// How many neighbours a list has at most that is sorted while others are.
std::int64_t most_in_parallel(std::int64_t held, int threads) { return std::max<std::int64_t>(64, held / 8 / threads); }

/// Sorts one list. `keys` is scratch memory.
template <class Id>
void sort_list(std::span<Id> ids, std::span<float> distances, std::vector<Key>& keys) {
  const auto comes_before = [&](std::size_t a, std::size_t b) {
    return distances[a] < distances[b] || (distances[a] == distances[b] && ids[a] < ids[b]);
  };
  bool is_sorted = true;
  for (std::size_t i = 1; i < ids.size() && is_sorted; ++i) is_sorted = comes_before(i - 1, i);
  if (is_sorted) return;  // as it is where it came in one part

  keys.resize(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::uint64_t distance = std::bit_cast<std::uint32_t>(distances[i]), id = static_cast<std::uint64_t>(ids[i]);
    keys[i] = key_of(distance, id);
  }
  std::ranges::sort(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ids[i] = static_cast<Id>(lower(keys[i]));
    distances[i] = std::bit_cast<float>(static_cast<std::uint32_t>(upper(keys[i])));
  }
}

}  // namespace

template <class Id>
void put_in_order(std::span<const std::int64_t> begins, Array<Id>& ids, Array<float>& distances, std::int64_t held,
                  int threads) {
  const std::int64_t count = std::ssize(begins) - 1, most = most_in_parallel(held, threads);
  const auto sort = [&](std::int64_t list, std::vector<Key>& keys) {
    const auto at = static_cast<std::size_t>(list), first = static_cast<std::size_t>(begins[at]);
    const std::size_t size = static_cast<std::size_t>(begins[at + 1]) - first;
    sort_list(std::span(ids).subspan(first, size), std::span(distances).subspan(first, size), keys);
  };
  const auto is_long = [&](std::int64_t list) {
    return begins[static_cast<std::size_t>(list) + 1] - begins[static_cast<std::size_t>(list)] > most;
  };
  constexpr std::int64_t grain = 256;
  base::parallel_chunks(count, grain, threads, [&](std::int64_t first, std::int64_t end) {
    std::vector<Key> keys;
    for (std::int64_t list = first; list < end; ++list)
      if (!is_long(list)) sort(list, keys);
  });
  if (longest_list(begins) > most) {
    std::vector<Key> keys;
    keys.reserve(static_cast<std::size_t>(longest_list(begins)));
    for (std::int64_t list = 0; list < count; ++list)
      if (is_long(list)) sort(list, keys);
  }
}

template void put_in_order(std::span<const std::int64_t>, Array<std::int32_t>&, Array<float>&, std::int64_t, int);
template void put_in_order(std::span<const std::int64_t>, Array<std::int64_t>&, Array<float>&, std::int64_t, int);

std::int64_t longest_list(std::span<const std::int64_t> begins) {
  std::int64_t longest = 0;
  for (std::size_t i = 1; i < begins.size(); ++i) longest = std::max(longest, begins[i] - begins[i - 1]);
  return longest;
}

double ordering_bytes(std::int64_t longest, std::int64_t held) {
  return sizeof(Key) * static_cast<double>(longest + held / 8);
}

}  // namespace kann::detail
