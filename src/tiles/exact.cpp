#include "tiles/exact.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <variant>
#include <vector>

#include "kann/error.hpp"
#include "kann/index.hpp"

#include "base/parallel.hpp"
#include "io/files/spool.hpp"
#include "tiles/record.hpp"
#include "tiles/survey.hpp"
#include "tiles/tile_rows.hpp"

namespace kann::tiles {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr std::int64_t k_block = 1 << 16;  // points that are read at a time

/// Points with the numbers of their rows.
template <class T>
struct NumberedPoints {
  int dimensions;
  std::vector<std::int64_t> rows;
  Array<T> coordinates;

  PointsView view() const { return {dimensions, std::span<const T>(coordinates.data(), coordinates.size())}; }
  std::int64_t size() const { return static_cast<std::int64_t>(rows.size()); }
  std::span<const T> at(std::int64_t i) const {
    return std::span(coordinates.data(), coordinates.size())
        .subspan(static_cast<std::size_t>(i * dimensions), static_cast<std::size_t>(dimensions));
  }
  Coordinates point(std::int64_t i) const {
    Coordinates out{};
    std::ranges::copy(at(i), out.begin());
    return out;
  }
};

/// One search. T is the type of the coordinates of both clouds.
template <class T>
class ExactTiles {
 public:
  ExactTiles(const PointSource& data, const PointSource* queries, const TileOptions& options)
      : data_(data),
        queries_(queries),
        options_(options),
        d_(static_cast<std::size_t>(data.dimensions())),
        k_(options.search.k),
        threads_(base::thread_count(options.search.threads)) {}

  TileAnswer run() {
    timed(report_.survey_seconds, [&] { survey_data(); });
    timed(report_.order_seconds, [&] { route(); });
    timed(report_.search_seconds, [&] {
      for (std::size_t t = 0; t < map_->size(); ++t) search_tile(t, true);
      for (std::size_t t = 0; t < map_->size(); ++t) search_tile(t, false);
    });
    report_.tiles = static_cast<std::int64_t>(map_->size());
    report_.temporary_bytes =
        tiles_->file_bytes() + visitors_->file_bytes() + rows_->file_bytes() + (homes_ ? homes_->file_bytes() : 0);
    return {std::move(*rows_), report_};
  }

 private:
  template <class F>
  static void timed(double& seconds, F f) {
    const auto start = Clock::now();
    f();
    seconds = seconds_since(start);
  }

  void survey_data() {
    const CloudSurvey found = survey(data_);
    refuse_invalid(found.invalid, found.first_invalid, data_);
    report_.data_skipped = found.invalid;
    valid_ = found.valid;
    curve_ = Curve(found.box, found.sample, data_.dimensions());
    map_.emplace(divide(found, curve_, data_.dimensions(), options_.sizes.tile_points));
  }

  void refuse_invalid(std::int64_t invalid, std::int64_t first, const PointSource& cloud) const {
    if (invalid > 0 && options_.search.invalid == InvalidPoints::error)
      throw Error(ErrorKind::bad_input,
                  cloud.name() + ": " + std::to_string(invalid) + " of " + std::to_string(cloud.size()) +
                      " points have NaN or infinite coordinates (first: " + std::to_string(first) +
                      "); use --invalid skip");
  }

  /// Calls f(row, point, position) for all finite points in their order, and `skip`(row) for the others.
  template <class F, class Skip>
  void for_each_placed(const PointSource& cloud, F f, Skip skip) const {
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
      const std::span<const T> all = coordinates_of(points, converted);
      for (std::size_t i = 0; i < positions.size(); ++i)
        if (const auto number = row + static_cast<std::int64_t>(i); positions[i] == none)
          skip(number);
        else
          f(number, all.subspan(i * d_, d_), positions[i]);
    });
  }

  /// The coordinates as T, which holds them; `storage` has them where they are of another type.
  static std::span<const T> coordinates_of(const PointsView& points, std::vector<T>& storage) {
    if (const auto* const own = std::get_if<std::span<const T>>(&points.coordinates)) return *own;
    std::visit([&](const auto& values) { storage.assign(values.begin(), values.end()); }, points.coordinates);
    return storage;
  }

  void route() {
    const std::size_t runs = map_->size();
    std::int64_t valid = data_.size();
    tiles_.emplace(options_.folder, runs, options_.sizes.chunk_bytes);
    std::vector<std::size_t> open(runs);  // the tile of each run that is being filled
    for (std::size_t i = 0; i < runs; ++i) open[i] = i;
    // The sample says where runs begin, roughly
    const std::uint64_t full = static_cast<std::uint64_t>(options_.sizes.tile_points) * 5 / 4 * point_bytes();
    for_each_placed(
        data_,
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
    if (valid != valid_) throw Error(ErrorKind::bad_input, data_.name() + ": changed while it was read");
    map_->finish();
    visitors_.emplace(options_.folder, map_->size(), options_.sizes.chunk_bytes);
    rows_.emplace(options_.folder, queries_ ? queries_->size() : data_.size(), k_, options_.sizes.block_rows,
                  options_.sizes.chunk_bytes);
    if (!queries_) return;
    homes_.emplace(options_.folder, map_->size(), options_.sizes.chunk_bytes);
    std::int64_t first_invalid = -1;
    for_each_placed(
        *queries_,
        [&](std::int64_t row, std::span<const T> point, std::uint64_t position) {
          homes_->append(map_->tile_of(position), record(row, point));
        },
        [&](std::int64_t row) {
          if (report_.query_skipped++ == 0) first_invalid = row;
        });
    refuse_invalid(report_.query_skipped, first_invalid, *queries_);
  }

  std::size_t point_bytes() const { return sizeof(std::int64_t) + d_ * sizeof(T); }
  std::size_t visitor_bytes() const {
    return point_bytes() + sizeof(std::uint32_t) + static_cast<std::size_t>(k_) * sizeof(TileNeighbor);
  }
  std::span<const std::byte> record(std::int64_t row, std::span<const T> point) {
    RecordWriter(bytes_).put(row).put(point);
    return bytes_;
  }

  NumberedPoints<T> points_of(std::span<const std::byte> bytes) const {
    const std::size_t n = bytes.size() / point_bytes();
    NumberedPoints<T> points{static_cast<int>(d_), std::vector<std::int64_t>(n), Array<T>(n * d_)};
    RecordReader reader(bytes);
    for (std::size_t i = 0; i < n; ++i) {
      points.rows[i] = reader.take<std::int64_t>();
      reader.take(std::span<T>(points.coordinates.data() + i * d_, d_));
    }
    return points;
  }

  SearchOptions search_options() const {
    SearchOptions options = options_.search;
    options.method = Method::exact;
    options.data_name = data_.name();
    options.query_name = queries_ ? queries_->name() : data_.name();
    return options;
  }

  /// Searches the queries at home here, in the first round, and those that visit.
  void search_tile(std::size_t tile, bool is_first_round) {
    if (is_first_round && !at_home(tile) && visitors_->size(tile) == 0) return;
    if (!is_first_round && visitors_->size(tile) == 0) return;
    if (is_first_round || !loaded_tile(tile)) load(tile);
    if (is_first_round) search_home(tile);
    visitors_->take(tile, static_cast<std::size_t>(options_.sizes.piece_queries) * visitor_bytes(),
                    [&](std::span<const std::byte> bytes) { search_visitors(tile, bytes); });
  }

  bool at_home(std::size_t tile) const { return queries_ ? homes_->size(tile) > 0 : tiles_->size(tile) > 0; }
  bool loaded_tile(std::size_t tile) const { return loaded_ == tile && index_; }

  void load(std::size_t tile) {
    index_.reset();
    points_ = points_of(tiles_->read(tile));
    index_.emplace(points_.view(), IndexOptions{options_.search.invalid, options_.search.threads, data_.name()});
    loaded_ = tile;
  }

  void search_home(std::size_t tile) {
    if (!queries_) {
      const Neighbors found = kept(index_->search_self(search_options()));
      return go_on(tile, tile, points_, rows_in_tile(points_.view(), points_.rows, points_.view(), found, threads_));
    }
    homes_->take(tile, static_cast<std::size_t>(options_.sizes.piece_queries) * point_bytes(),
                 [&](std::span<const std::byte> bytes) {
                   const NumberedPoints<T> queries = points_of(bytes);
                   go_on(tile, tile, queries, rows_here(queries));
                 });
  }

  /// The rows; the report is kept, with the sums of what adds up.
  Neighbors kept(SearchResult result) {
    const StepSeconds before = report_.last.steps;
    const std::int64_t peak = report_.last.device_peak_bytes;
    report_.last = std::move(result.report);
    report_.last.device_peak_bytes = std::max(peak, report_.last.device_peak_bytes);
    StepSeconds& steps = report_.last.steps;
    for (double StepSeconds::*step :
         {&StepSeconds::prepare, &StepSeconds::start_up, &StepSeconds::upload, &StepSeconds::encode, &StepSeconds::sort,
          &StepSeconds::rank, &StepSeconds::boxes, &StepSeconds::select, &StepSeconds::rows, &StepSeconds::download})
      steps.*step += before.*step;
    return std::move(result.neighbors);
  }

  TileRows rows_here(const NumberedPoints<T>& queries) {
    const Neighbors found = kept(index_->search(queries.view(), search_options()));
    return rows_in_tile(points_.view(), points_.rows, queries.view(), found, threads_);
  }

  void search_visitors(std::size_t tile, std::span<const std::byte> bytes) {
    const std::size_t n = bytes.size() / visitor_bytes(), k = static_cast<std::size_t>(k_);
    NumberedPoints<T> queries{static_cast<int>(d_), std::vector<std::int64_t>(n), Array<T>(n * d_)};
    std::vector<std::uint32_t> homes(n);
    TileRows rows(n * k);
    RecordReader reader(bytes);
    for (std::size_t i = 0; i < n; ++i) {
      queries.rows[i] = reader.take<std::int64_t>();
      reader.take(std::span<T>(queries.coordinates.data() + i * d_, d_));
      homes[i] = reader.take<std::uint32_t>();
      reader.take(std::span(rows).subspan(i * k, k));
    }
    report_.visits += static_cast<std::int64_t>(n);
    const TileRows here = rows_here(queries);
    for (std::size_t i = 0; i < n; ++i) merge(std::span(rows).subspan(i * k, k), std::span(here).subspan(i * k, k));
    go_on_from(tile, queries, homes, rows);
  }

  void go_on(std::size_t tile, std::size_t home, const NumberedPoints<T>& queries, const TileRows& rows) {
    go_on_from(tile, queries, std::vector<std::uint32_t>(queries.rows.size(), static_cast<std::uint32_t>(home)), rows);
  }

  /// Sends each query to the next tile that its ball reaches, counted from its home around, or its row to the result.
  void go_on_from(std::size_t tile, const NumberedPoints<T>& queries, const std::vector<std::uint32_t>& homes,
                  const TileRows& rows) {
    const std::size_t n = queries.rows.size(), k = static_cast<std::size_t>(k_), tiles = map_->size();
    std::vector<std::uint32_t> next(n);
    base::parallel_blocks(static_cast<std::int64_t>(n), threads_, [&](int, std::int64_t begin, std::int64_t end) {
      std::vector<std::uint32_t> reached;
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        reached.clear();
        map_->reached(queries.point(static_cast<std::int64_t>(i)), rows[i * k + k - 1].sq_dist, rows[i * k + k - 1].id,
                      reached);
        const std::size_t home = homes[i], passed = (tile + tiles - home) % tiles;
        std::size_t nearest = tiles;
        for (const std::uint32_t other : reached)
          if (const std::size_t way = (other + tiles - home) % tiles; way > passed) nearest = std::min(nearest, way);
        next[i] = static_cast<std::uint32_t>(nearest == tiles ? tiles : (home + nearest) % tiles);
      }
    });
    for (std::size_t i = 0; i < n; ++i) {
      const std::span<const TileNeighbor> row = std::span(rows).subspan(i * k, k);
      if (next[i] == tiles) {
        rows_->add(queries.rows[i], row);
        continue;
      }
      RecordWriter(bytes_).put(queries.rows[i]).put(queries.at(static_cast<std::int64_t>(i))).put(homes[i]).put(row);
      visitors_->append(next[i], bytes_);
    }
  }

  const PointSource& data_;
  const PointSource* const queries_;
  const TileOptions& options_;
  const std::size_t d_;
  const std::int64_t k_;
  const int threads_;
  TileReport report_;
  std::int64_t valid_ = 0;  // points of the data, by the survey
  Curve curve_;
  std::optional<TileMap> map_;
  std::optional<io::Spool> tiles_, homes_, visitors_;
  std::optional<RowStore> rows_;
  std::vector<std::byte> bytes_;  // of the record that is being made
  NumberedPoints<T> points_{};    // of the tile that is loaded
  std::size_t loaded_ = 0;
  std::optional<Index> index_;  // of points_
};

}  // namespace

TileAnswer exact(const PointSource& data, const PointSource* queries, const TileOptions& options) {
  if (data.is_float64() || (queries && queries->is_float64())) return ExactTiles<double>(data, queries, options).run();
  return ExactTiles<float>(data, queries, options).run();
}

}  // namespace kann::tiles
