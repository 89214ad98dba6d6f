#include "flow/routes/ball_queries.hpp"

#include <limits>

#include "base/threads/parallel.hpp"
#include "flow/ranks/record.hpp"

namespace kann::flow {

template <class T>
void BallQueries<T>::send(bool are_data, const std::function<void(std::span<const std::int64_t>)>& sees) {
  RecordBatch batch(store_.point_bytes(), threads_, options_.memory);
  RecordExchange exchange(
      ranks_, store_.point_bytes(), options_.folder, options_.sizes.chunk_bytes,
      [&](std::uint32_t tile, std::span<const std::byte> records) { spool_.append(tile - store_.first(), records); },
      options_.memory);
  for (std::size_t tile = store_.first(); tile < store_.first() + store_.size(); ++tile) {
    if (!store_.has_queries(tile)) continue;
    const auto send_charged = [&](const NumberedPoints<T>& queries) {
      const base::MemoryCharge charge(options_.memory,
                                      static_cast<double>(queries.numbers.size() * store_.point_bytes()));
      sees(queries.numbers);
      send_some(queries, tile, exchange, batch);
    };
    if (are_data)
      send_charged(store_.data(tile));
    else
      store_.take_queries(tile, options_.sizes.piece_queries, send_charged);
  }
  exchange.deliver();
  sent_bytes_ = exchange.sent_bytes();
  exchanged_bytes_ = exchange.file_bytes();
}

/// A query may reach all tiles, with all of its images, or none but its own: how many have their tiles found together
/// follows from those before.
template <class T>
void BallQueries<T>::send_some(const NumberedPoints<T>& queries, std::size_t home, RecordExchange& exchange,
                               RecordBatch& batch) {
  for (std::int64_t begin = 0, count; begin < queries.size(); begin += count) {
    count = std::min(at_once_, queries.size() - begin);
    const NumberedPoints<T> places = with_images(queries, begin, begin + count);
    const std::vector<Reached> reached = reached_by(places, count, home);
    const base::MemoryCharge charge(options_.memory, static_cast<double>(reached.size() * sizeof(Reached) +
                                                                         places.numbers.size() * store_.point_bytes()));
    batch.make(
        std::ssize(reached), static_cast<std::uint32_t>(store_.map().size()),
        [&](std::int64_t i) { return reached[static_cast<std::size_t>(i)].tile; },
        [&](std::int64_t i, std::span<std::byte> record) {
          const std::uint32_t place = reached[static_cast<std::size_t>(i)].query;
          RecordWriter(record).put(places.numbers[place]).put(places.at(place));
        });
    batch.for_each_group([&](std::uint32_t tile, std::span<const std::byte> records) {
      exchange.send(store_.owner(tile), tile, records);
    });
    const std::int64_t most = options_.sizes.read_points, found = std::ssize(reached);
    at_once_ = std::clamp<std::int64_t>(most * count / std::max<std::int64_t>(1, 4 * found), 16, 8 * at_once_);
  }
}

/// Queries [begin, end), and then their images, each with the number of its query.
template <class T>
NumberedPoints<T> BallQueries<T>::with_images(const NumberedPoints<T>& queries, std::int64_t begin,
                                              std::int64_t end) const {
  const auto d = static_cast<std::ptrdiff_t>(queries.dimensions);
  NumberedPoints<T> places{queries.dimensions,
                           Array<std::int64_t>(queries.numbers.begin() + begin, queries.numbers.begin() + end),
                           Array<T>(queries.coordinates.begin() + begin * d, queries.coordinates.begin() + end * d)};
  if (!ball_.append_images) return places;
  std::vector<Array<double>> images(static_cast<std::size_t>(end - begin));
  base::parallel_for(end - begin, threads_, [&](std::int64_t i) {
    ball_.append_images(queries.point(begin + i), images[static_cast<std::size_t>(i)]);
  });
  for (std::size_t i = 0; i < images.size(); ++i) {
    places.numbers.insert(places.numbers.end(), images[i].size() / static_cast<std::size_t>(d), places.numbers[i]);
    for (const double c : images[i]) places.coordinates.push_back(static_cast<T>(c));
  }
  return places;
}

/// The tiles that each place reaches. The first `queries` places lie in tile `home`.
template <class T>
auto BallQueries<T>::reached_by(const NumberedPoints<T>& places, std::int64_t queries, std::size_t home) const
    -> std::vector<Reached> {
  const TileMap& map = store_.map();
  const auto radius = static_cast<float>(std::min<double>(ball_.radius, std::numeric_limits<float>::max()));
  std::vector<std::vector<Reached>> parts(static_cast<std::size_t>(threads_));
  base::parallel_blocks(places.size(), threads_, [&](int part, std::int64_t begin, std::int64_t end) {
    std::vector<Reached>& here = parts[static_cast<std::size_t>(part)];
    std::vector<std::uint32_t> tiles;
    for (std::int64_t i = begin; i < end; ++i) {
      const Coordinates place = places.point(i);
      tiles.clear();
      if (i < queries && !map.may_reach_others(place, radius, home))
        tiles.push_back(static_cast<std::uint32_t>(home));
      else
        map.reached(place, ball_.sq_bound, std::numeric_limits<std::int64_t>::max(), tiles);
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
