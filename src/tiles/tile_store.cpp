#include "tiles/tile_store.hpp"

#include <chrono>
#include <string>
#include <variant>

#include "kann/error.hpp"

#include "base/parallel.hpp"
#include "tiles/record.hpp"

namespace kann::tiles {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t k_block = 1 << 16;  // points that are read at a time

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The coordinates as T, which holds them; `storage` has them where they are of another type.
template <class T>
std::span<const T> coordinates_of(const PointsView& points, std::vector<T>& storage) {
  if (const auto* const own = std::get_if<std::span<const T>>(&points.coordinates)) return *own;
  std::visit([&](const auto& values) { storage.assign(values.begin(), values.end()); }, points.coordinates);
  return storage;
}

}  // namespace

template <class T>
TileStore<T>::TileStore(const PointSource& data, const PointSource* queries, const TileOptions& options)
    : options_(options),
      d_(static_cast<std::size_t>(data.dimensions())),
      threads_(base::thread_count(options.search.threads)) {
  const auto start = Clock::now();
  divide_data(data);
  survey_seconds_ = seconds_since(start);
  const auto surveyed = Clock::now();
  route_data(data);
  if (queries) route_queries(*queries);
  order_seconds_ = seconds_since(surveyed);
}

template <class T>
void TileStore<T>::divide_data(const PointSource& data) {
  const CloudSurvey found = survey(data);
  refuse_invalid(found.invalid, found.first_invalid, data);
  data_skipped_ = found.invalid;
  valid_ = found.valid;
  curve_ = Curve(found.box, found.sample, data.dimensions());
  map_.emplace(divide(found, curve_, data.dimensions(), options_.sizes.tile_points));
}

template <class T>
void TileStore<T>::refuse_invalid(std::int64_t invalid, std::int64_t first, const PointSource& cloud) const {
  if (invalid > 0 && options_.search.invalid == InvalidPoints::error)
    throw Error(ErrorKind::bad_input, cloud.name() + ": " + std::to_string(invalid) + " of " +
                                          std::to_string(cloud.size()) +
                                          " points have NaN or infinite coordinates (first: " + std::to_string(first) +
                                          "); use --invalid skip");
}

/// Calls f(row, point, position) for all finite points in their order, and `skip`(row) for the others.
template <class T>
template <class F, class Skip>
void TileStore<T>::for_each_placed(const PointSource& cloud, F f, Skip skip) const {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  std::vector<std::uint64_t> positions;
  std::vector<T> converted;
  cloud.for_each_block(k_block, [&](std::int64_t row, const PointsView& points) {
    positions.assign(static_cast<std::size_t>(points.size()), none);
    base::parallel_blocks(points.size(), threads_, [&](int, std::int64_t begin, std::int64_t end) {
      Coordinates point;
      for (std::int64_t i = begin; i < end; ++i)
        if (finite_point(points, i, point)) positions[static_cast<std::size_t>(i)] = curve_.position(point);
    });
    const std::span<const T> all = coordinates_of<T>(points, converted);
    for (std::size_t i = 0; i < positions.size(); ++i)
      if (const auto number = row + static_cast<std::int64_t>(i); positions[i] == none)
        skip(number);
      else
        f(number, all.subspan(i * d_, d_), positions[i]);
  });
}

template <class T>
void TileStore<T>::route_data(const PointSource& data) {
  const std::size_t runs = map_->size();
  std::int64_t valid = data.size();
  tiles_.emplace(options_.folder, runs, options_.sizes.chunk_bytes);
  std::vector<std::size_t> open(runs);  // the tile of each run that is being filled
  for (std::size_t i = 0; i < runs; ++i) open[i] = i;
  // The sample says where runs begin, roughly
  const std::uint64_t full = static_cast<std::uint64_t>(options_.sizes.tile_points) * 5 / 4 * point_bytes();
  for_each_placed(
      data,
      [&](std::int64_t row, std::span<const T> point, std::uint64_t position) {
        std::size_t& tile = open[map_->tile_of(position)];
        if (tiles_->size(tile) >= full) {
          tile = map_->add_tile(tile);
          tiles_->add_stream();
        }
        Coordinates place{};
        std::ranges::copy(point, place.begin());
        map_->add(tile, position, place, row);
        tiles_->append(tile, record(row, point));
      },
      [&](std::int64_t) { --valid; });
  if (valid != valid_) throw Error(ErrorKind::bad_input, data.name() + ": changed while it was read");
  map_->finish();
}

template <class T>
void TileStore<T>::route_queries(const PointSource& queries) {
  homes_.emplace(options_.folder, map_->size(), options_.sizes.chunk_bytes);
  std::int64_t first_invalid = -1;
  for_each_placed(
      queries,
      [&](std::int64_t row, std::span<const T> point, std::uint64_t position) {
        homes_->append(map_->tile_of(position), record(row, point));
      },
      [&](std::int64_t row) {
        if (query_skipped_++ == 0) first_invalid = row;
      });
  refuse_invalid(query_skipped_, first_invalid, queries);
}

template <class T>
std::span<const std::byte> TileStore<T>::record(std::int64_t row, std::span<const T> point) {
  RecordWriter(bytes_).put(row).put(point);
  return bytes_;
}

template <class T>
NumberedPoints<T> TileStore<T>::points_of(std::span<const std::byte> bytes) const {
  const std::size_t n = bytes.size() / point_bytes();
  NumberedPoints<T> points{static_cast<int>(d_), std::vector<std::int64_t>(n), Array<T>(n * d_)};
  RecordReader reader(bytes);
  for (std::size_t i = 0; i < n; ++i) {
    points.rows[i] = reader.take<std::int64_t>();
    reader.take(std::span<T>(points.coordinates.data() + i * d_, d_));
  }
  return points;
}

template class TileStore<float>;
template class TileStore<double>;

}  // namespace kann::tiles
