#include "flow/routes/ball_queries.hpp"

#include <limits>
#include <optional>

#include "base/threads/parallel.hpp"
#include "flow/ranks/record.hpp"
#include "formats/files/free_space.hpp"

namespace kann::flow {

template <class T>
void BallQueries<T>::send(bool are_data, double disk_bytes,
                          const std::function<void(std::span<const std::int64_t>)>& sees) {
  check_disk(are_data, disk_bytes);
  const auto send = [&](const NumberedPoints<T>& queries, const std::vector<Reached>& reached) {
    post_.send(
        std::ssize(reached), [&](std::int64_t i) { return reached[static_cast<std::size_t>(i)].tile; },
        [&](std::int64_t i, std::span<std::byte> record) {
          const std::uint32_t query = reached[static_cast<std::size_t>(i)].query;
          RecordWriter(record).put(queries.numbers[query]).put(queries.at(query));
        });
  };
  for_each_query(are_data, true, [&](const NumberedPoints<T>& queries, std::size_t home) {
    sees(queries.numbers);
    find_tiles(queries, home, [&](const std::vector<Reached>& reached) { send(queries, reached); });
  });
  post_.close();
  for (std::size_t t = 0; t < store_.size(); ++t) sent_ += post_.records(store_.first() + t);
}

/// Refuses what the disk does not hold. How many tiles are reached is only counted where all of them may be too many.
template <class T>
void BallQueries<T>::check_disk(bool are_data, double disk_bytes) {
  const std::optional<double> left = formats::free_bytes(options_.folder);
  const std::int64_t queries = (are_data ? store_.of_data() : store_.of_queries()).valid;
  const double on_host = disk_bytes * ranks_.host_size() / ranks_.size();
  const double most = static_cast<double>(queries) * static_cast<double>(store_.map().size()) * on_host;
  if (!ranks_.any(left && most > *left)) return;
  std::int64_t reached_tiles = 0;
  for_each_query(are_data, false, [&](const NumberedPoints<T>& some, std::size_t home) {
    find_tiles(some, home, [&](const auto& reached) { reached_tiles += std::ssize(reached); });
  });
  formats::check_temporary_folder(options_.folder, static_cast<double>(ranks_.sum(reached_tiles)) * on_host);
}

/// Calls f() with the queries of this rank's tiles.
template <class T>
void BallQueries<T>::for_each_query(bool are_data, bool forgets, const UseQueries& f) {
  for (std::size_t tile = store_.first(); tile < store_.first() + store_.size(); ++tile) {
    if (!store_.has_queries(tile)) continue;
    const auto use = [&](const NumberedPoints<T>& queries) {
      const base::MemoryCharge charge(options_.memory,
                                      static_cast<double>(queries.numbers.size() * store_.point_bytes()));
      f(queries, tile);
    };
    if (are_data)
      use(store_.data(tile));
    else if (forgets)
      store_.take_queries(tile, options_.sizes.piece_queries, use);
    else
      store_.read_queries(tile, options_.sizes.piece_queries, use);
  }
}

/// Calls f() with the tiles that some queries reach. A query may reach all tiles, or none but its own: how many have
/// their tiles found together follows from those before.
template <class T>
void BallQueries<T>::find_tiles(const NumberedPoints<T>& queries, std::size_t home, const UseReached& f) {
  for (std::int64_t begin = 0, count; begin < queries.size(); begin += count) {
    count = std::min(at_once_, queries.size() - begin);
    const std::vector<Reached> reached = reached_by(queries, begin, begin + count, home);
    const base::MemoryCharge charge(options_.memory, static_cast<double>(reached.size() * sizeof(Reached)));
    f(reached);
    const std::int64_t most = options_.sizes.read_points, found = std::ssize(reached);
    at_once_ = std::clamp<std::int64_t>(most * count / std::max<std::int64_t>(1, 4 * found), 16, 8 * at_once_);
  }
}

/// The tiles that each of the queries [begin, end), which lie in tile `home`, and their images reach.
template <class T>
auto BallQueries<T>::reached_by(const NumberedPoints<T>& queries, std::int64_t begin, std::int64_t end,
                                std::size_t home) const -> std::vector<Reached> {
  const TileMap& map = store_.map();
  const auto radius = static_cast<float>(std::min<double>(ball_.radius, std::numeric_limits<float>::max()));
  constexpr std::int64_t all_ids = std::numeric_limits<std::int64_t>::max();
  std::vector<std::vector<Reached>> parts(static_cast<std::size_t>(threads_));
  base::parallel_blocks(end - begin, threads_, [&](int part, std::int64_t first, std::int64_t last) {
    std::vector<Reached>& here = parts[static_cast<std::size_t>(part)];
    std::vector<std::uint32_t> tiles;
    std::vector<Coordinates> images;
    for (std::int64_t i = begin + first; i < begin + last; ++i) {
      const Coordinates query = queries.point(i);
      tiles.clear();
      if (!map.may_reach_others(query, radius, home))
        tiles.push_back(static_cast<std::uint32_t>(home));
      else
        map.reached(query, ball_.sq_bound, all_ids, tiles);
      if (!sends_home_) std::erase(tiles, static_cast<std::uint32_t>(home));
      images.clear();
      if (ball_.images) ball_.images->append(query, ball_.sq_bound, images);
      for (const Coordinates& image : images) map.reached(image, ball_.sq_bound, all_ids, tiles);
      std::ranges::sort(tiles);
      tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
      for (const std::uint32_t tile : tiles) here.push_back({static_cast<std::uint32_t>(i), tile});
    }
  });
  std::vector<Reached> all;
  for (const std::vector<Reached>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template class BallQueries<float>;
template class BallQueries<double>;

}  // namespace kann::flow
