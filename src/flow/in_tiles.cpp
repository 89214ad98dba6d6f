#include "flow/in_tiles.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kann/array.hpp"
#include "kann/index.hpp"

#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "flow/loaded_tile.hpp"
#include "flow/ranks/post.hpp"
#include "flow/ranks/record.hpp"
#include "flow/routes/tile_store.hpp"
#include "flow/tile_memory.hpp"
#include "geometry/within_radius.hpp"
#include "search/rows/candidates.hpp"

namespace kann::flow {
namespace {

/// One search. T is the type of the coordinates of both clouds.
template <class T>
class TiledSearch {
 public:
  TiledSearch(const PlacedClouds& clouds, Communicator& ranks, ResultStore& rows)
      : ranks_(ranks),
        clouds_(clouds),
        options_(clouds.options()),
        dimensions_(clouds.data().dimensions()),
        d_(static_cast<std::size_t>(dimensions_)),
        k_(options_.search.k),
        threads_(base::thread_count(options_.search.threads)),
        sq_bound_(options_.search.radius ? geometry::WithinRadius(*options_.search.radius).sq_bound()
                                         : std::numeric_limits<double>::infinity()),
        store_(clouds.data(), clouds.queries(), options_, ranks),
        forwarded_(ranks, store_.first_of_rank(), forwarded_bytes(), options_.files()),
        rows_(rows),
        self_(detail::point_bytes(tile_search(dimensions_, k_, sizeof(T) == sizeof(double), true))),
        other_(detail::point_bytes(tile_search(dimensions_, k_, sizeof(T) == sizeof(double), false))),
        tile_(store_, options_, dimensions_, clouds.data().name()) {}

  FileSearchReport run() {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t t = 0; t < store_.size(); ++t) {
      search_tile(store_.first() + t, true);
      // The searches of forwarded queries, which come later, are not counted: most of the work is done by then
      options_.show_progress(static_cast<double>(t + 1) / static_cast<double>(store_.size()));
    }
    for (forwarded_.deliver(); ranks_.any(has_forwarded()); forwarded_.deliver()) {
      for (std::size_t t = 0; t < store_.size(); ++t) search_tile(store_.first() + t, false);
      ++report_.rounds;
    }
    if (report_.last.device.name.empty()) {  // this rank had no query: a search without queries names its device
      const PointsView none{dimensions_, std::span<const T>()};
      keep_last(kann::search(none, none, search_options(k_)).report, report_);
    }
    report_.search_seconds = base::seconds_since(start);
    report_.points_seconds += tile_.seconds();
    report_.sent_bytes = forwarded_.sent_bytes();
    report_.temporary_bytes = forwarded_.file_bytes();
    report_.add_tiles(store_, clouds_.seconds(), ranks_);
    return report_;
  }

 private:
  bool has_forwarded() const {
    for (std::size_t t = 0; t < store_.size(); ++t)
      if (forwarded_.records(store_.first() + t) > 0) return true;
    return false;
  }

  double point_bytes() const { return static_cast<double>(store_.point_bytes()); }
  std::size_t forwarded_bytes() const {
    return static_cast<std::size_t>(flow::forwarded_bytes(point_bytes(), static_cast<double>(k_)));
  }
  base::MemoryCharge charge(double bytes) const { return {options_.memory, bytes}; }
  SearchOptions search_options(std::int64_t k) const {
    SearchOptions options = options_.search;
    options.on_progress = nullptr;
    options.radius.reset();  // it is applied to whole rows, at the end
    options.k = k;
    options.data_name = clouds_.data().name();
    options.query_name = clouds_.query_name();
    return options;
  }

  /// Searches the queries that other tiles have forwarded and, in the first round, those that lie in the tile.
  void search_tile(std::size_t tile, bool is_first_round) {
    const std::int64_t most = part_of_piece(options_.sizes.piece_queries);
    const bool has_home = is_first_round && store_.has_queries(tile);
    if (!has_home && forwarded_.records(tile) == 0) return;
    tile_.load(tile);
    if (has_home) search_home(tile);
    report_.points_seconds +=
        base::seconds_beside([&](const auto& search) { forwarded_.take(tile, most, search); },
                             [&](std::span<const std::byte> records) { search_forwarded(tile, records); });
  }

  void search_home(std::size_t tile) {
    const auto take = [&](const NumberedPoints<T>& queries, const std::optional<PointsView>& other) {
      const auto found_charge = charge(found_bytes(static_cast<double>(queries.size()), static_cast<double>(k_)));
      const Neighbors found = nearest(other, k_);
      const std::int64_t n = queries.size(), part = part_of_piece(n);
      for (std::int64_t begin = 0; begin < n; begin += part)
        take_home(tile, queries, found, begin, std::min(part, n - begin));
    };
    if (!clouds_.queries()) return take(tile_.points(), {});
    report_.points_seconds += base::seconds_beside(
        [&](const auto& search) { store_.take_queries(tile, options_.sizes.piece_queries, search); },
        [&](const NumberedPoints<T>& queries) {
          const auto queries_charge = charge(static_cast<double>(queries.size()) * point_bytes());
          take(queries, queries.view());
        });
  }

  /// The rows of `queries` or, without these, of the tile's own points. The report is kept.
  Neighbors nearest(const std::optional<PointsView>& queries, std::int64_t k) {
    const std::int64_t points = tile_.points().size();
    const double query_bytes = (queries ? other_ : self_).query;
    const auto count = static_cast<double>(queries ? queries->size() : points);
    const auto search_charge =
        charge(tile_.ordering_bytes() + count * query_bytes + cpu::list_bytes(std::min(k, points), threads_));
    const Index& index = tile_.index();
    SearchResult result = queries ? index.search(*queries, search_options(k)) : index.search_self(search_options(k));
    keep_last(std::move(result.report), report_);
    return std::move(result.neighbors);
  }

  /// Takes the rows of `count` queries that lie in the tile, from place `begin` on.
  void take_home(std::size_t tile, const NumberedPoints<T>& queries, const Neighbors& found, std::int64_t begin,
                 std::int64_t count) {
    const auto k = static_cast<std::size_t>(k_), first = static_cast<std::size_t>(begin);
    std::vector<std::uint8_t> stays(
        static_cast<std::size_t>(count));  // its ball reaches no other tile: the row is whole
    if (!options_.search.radius && !options_.sky) {
      base::parallel_for(count, threads_, [&](std::int64_t i) {
        const std::size_t last = (first + static_cast<std::size_t>(i)) * k + k - 1;
        const Coordinates query = queries.point(begin + i);
        stays[static_cast<std::size_t>(i)] = found.ids[last] != k_missing_id &&
                                             !may_have_images(query, found.distances[last]) &&
                                             !store_.map().may_reach_others(query, found.distances[last], tile);
      });
      std::int64_t far_rows = 0;
      for (std::size_t i = 0; i < stays.size(); ++i)
        far_rows += stays[i] && found.distances[(first + i) * k + k - 1] > rows_.kind().far;
      rows_.add_full(std::span(queries.numbers).subspan(first, stays.size()), stays, far_rows,
                     [&](std::size_t i, auto ids, auto distances) {
                       const std::size_t at = (first + i) * k;
                       for (std::size_t j = 0; j < k; ++j)
                         ids[j] = tile_.points().numbers[static_cast<std::size_t>(found.ids[at + j])];
                       std::copy_n(found.distances.data() + at, k, distances.begin());
                     });
    }
    const auto going = static_cast<double>(std::ranges::count(stays, 0));
    const auto rest_charge = charge(going_bytes(going, point_bytes(), static_cast<double>(k_)));
    const FoundRows<T> others = unmarked<T>(queries, found, begin, stays, threads_);
    const std::vector<std::uint32_t> homes(others.queries.numbers.size(), static_cast<std::uint32_t>(tile));
    detail::CandidateRows rows = in_tile(others.queries, others.found);
    add_images(tile, others.queries, true, rows);
    send_on(tile, others.queries, homes, rows);
  }

  /// Whether images of a query may have data points that are no farther than `distance`, a float32.
  bool may_have_images(const Coordinates& query, float distance) const {
    if (!clouds_.images()) return false;
    const double above = std::nextafter(distance, std::numeric_limits<float>::infinity());
    thread_local std::vector<Coordinates> images;
    images.clear();
    return clouds_.images()->append(query, above * above, images) > 0;
  }

  /// The squared distance within which other places of a query may have nearer neighbours than its row.
  double sq_reach(const Coordinates& query, std::span<const detail::Candidate> row) const {
    const Images* const images = clouds_.images();
    const detail::Candidate& last = row.back();
    if (last.id >= 0 || !images || images->rule.only_nearest) return std::min(last.sq_dist, sq_bound_);
    const auto found = std::ranges::find_if(row, [](const auto& n) { return n.id < 0; }) - row.begin();
    const double sq_far =
        found > 0 ? row[static_cast<std::size_t>(found) - 1].sq_dist : sq_farthest(query, images->extent);
    return std::min(images->rule.sq_filling(k_, found, sq_far), sq_bound_);
  }

  /// The squared distance to the farthest place in a box.
  static double sq_farthest(const Coordinates& query, const geometry::Box& box) {
    Coordinates far;
    for (std::size_t a = 0; a < far.size(); ++a)
      far[a] = std::max(std::abs(query[a] - box.lo[a]), std::abs(query[a] - box.hi[a]));
    return geometry::sq_length(far);
  }

  /// Merges what images of the queries find in the tile into their rows.
  void add_images(std::size_t tile, const NumberedPoints<T>& queries, bool are_at_home, detail::CandidateRows& rows) {
    if (!clouds_.images() || tile_.points().size() == 0) return;
    // The point itself is in the tile at home, where an image may find it, and is left out
    const bool drops_own =
        are_at_home && !clouds_.queries() && (!options_.search.include_self || !clouds_.images()->rule.only_nearest);
    const auto k = static_cast<std::size_t>(k_);
    const detail::ImagedQueries imaged{
        .images = clouds_.images()->rule,
        .extent = store_.map().box(tile),
        .queries = queries.view(),
        .sq_radius =
            [&](std::int64_t i) {
              return sq_reach(queries.point(i), std::span(rows).subspan(static_cast<std::size_t>(i) * k, k));
            },
        .threads = threads_};
    imaged.for_each(places_together(options_.sizes), [&](const detail::QueryPlaces& places) {
      const auto images = static_cast<double>(places.size()),
                 imaged_queries = static_cast<double>(places.queries.size());
      const auto charged = charge(image_bytes(images, imaged_queries, dimensions_, static_cast<double>(k_)));
      const NumberedPoints<T> at = numbered(places, queries);
      detail::CandidateRows found = in_tile(at, nearest(at.view(), k_ + drops_own));
      if (drops_own) found = detail::without_own(at.numbers, found, threads_);
      base::parallel_blocks(std::ssize(places.queries), threads_, [&](int, std::int64_t begin, std::int64_t end) {
        std::vector<detail::Candidate> of_images, scratch;
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          const auto k_places = static_cast<std::ptrdiff_t>(k);
          of_images.assign(found.begin() + places.begins[i] * k_places,
                           found.begin() + places.begins[i + 1] * k_places);
          const auto query = static_cast<std::size_t>(places.queries[i]);
          const std::span row = std::span(rows).subspan(query * k, k);
          if (drops_own)
            for (const double sq_dist : clouds_.images()->rule.sq_lengths)
              of_images.push_back({sq_dist, queries.numbers[query], false});
          detail::merge_images(row, of_images, clouds_.images()->rule.may_repeat(row.back().sq_dist), scratch);
        }
      });
    });
  }

  detail::CandidateRows in_tile(const NumberedPoints<T>& queries, const Neighbors& found) const {
    const NumberedPoints<T>& points = tile_.points();
    return detail::rows_in_tile<T>(points.coordinates, points.numbers, queries.coordinates, found, points.dimensions,
                                   options_.search.radius, threads_);
  }

  void search_forwarded(std::size_t tile, std::span<const std::byte> bytes) {
    const std::size_t n = bytes.size() / forwarded_bytes(), k = static_cast<std::size_t>(k_);
    const auto rows_charge = charge(arriving_bytes(static_cast<double>(n), point_bytes(), static_cast<double>(k_)));
    NumberedPoints<T> queries{static_cast<int>(d_), Array<std::int64_t>(n), Array<T>(n * d_)};
    std::vector<std::uint32_t> homes(n);
    detail::CandidateRows rows(n * k);
    base::parallel_for(static_cast<std::int64_t>(n), threads_, [&](std::int64_t query) {
      const auto i = static_cast<std::size_t>(query);
      RecordReader reader(bytes.subspan(i * forwarded_bytes(), forwarded_bytes()));
      queries.numbers[i] = reader.take<std::int64_t>();
      reader.take(std::span<T>(queries.coordinates.data() + i * d_, d_));
      homes[i] = reader.take<std::uint32_t>();
      reader.take(std::span(rows).subspan(i * k, k));
    });
    report_.visits += static_cast<std::int64_t>(n);
    const detail::CandidateRows here = in_tile(queries, nearest(queries.view(), k_));
    base::parallel_blocks(static_cast<std::int64_t>(n), threads_, [&](int, std::int64_t begin, std::int64_t end) {
      std::vector<detail::Candidate> scratch;
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        detail::merge(std::span(rows).subspan(i * k, k), std::span(here).subspan(i * k, k), scratch);
    });
    add_images(tile, queries, false, rows);
    send_on(tile, queries, homes, rows);
  }

  /// Sends each query to the next tile that its ball reaches, or its row to the result if there is none. The order of
  /// tiles begins at the home of the query, and goes on with the first after the last.
  void send_on(std::size_t tile, const NumberedPoints<T>& queries, const std::vector<std::uint32_t>& homes,
               const detail::CandidateRows& rows) {
    const std::size_t n = queries.numbers.size(), k = static_cast<std::size_t>(k_), tiles = store_.map().size();
    std::vector<std::uint8_t> finished(n);
    const auto row_of = [&](std::size_t i) { return std::span(rows).subspan(i * k, k); };
    forwarded_.send(
        static_cast<std::int64_t>(n),
        [&](std::int64_t query) {
          const auto i = static_cast<std::size_t>(query);
          const std::size_t next = next_tile(queries.point(query), row_of(i), homes[i], tile);
          finished[i] = next == tiles;
          return finished[i] ? RecordBatch::k_nowhere : static_cast<std::uint32_t>(next);
        },
        [&](std::int64_t query, std::span<std::byte> record) {
          const auto i = static_cast<std::size_t>(query);
          RecordWriter(record).put(queries.numbers[i]).put(queries.at(query)).put(homes[i]).put(row_of(i));
        });
    rows_.add(queries.numbers, rows, finished);
  }

  /// The next tile that the ball of a query, or of one of its images, reaches after `tile`; the number of tiles if
  /// there is none.
  std::size_t next_tile(const Coordinates& query, std::span<const detail::Candidate> row, std::size_t home,
                        std::size_t tile) const {
    thread_local std::vector<Coordinates> places;
    places.assign(1, query);
    const double sq_bound = sq_reach(query, row);
    const detail::Candidate& last = row.back();
    if (clouds_.images()) clouds_.images()->append(query, sq_bound, places);
    return store_.map().next(places, sq_bound, last.sq_dist > sq_bound_ ? -1 : last.id, home, tile);
  }

  Communicator& ranks_;
  const PlacedClouds& clouds_;
  const FileSearchOptions& options_;
  const int dimensions_;
  const std::size_t d_;
  const std::int64_t k_;
  const int threads_;
  const double sq_bound_;  // neighbours beyond it are not given
  FileSearchReport report_;
  TileStore<T> store_;
  Post forwarded_;  // queries, by their next tile
  ResultStore& rows_;
  const cpu::PointBytes self_, other_;  // bytes of a search by the tile's own points, and by other queries
  LoadedTile<T> tile_;
};

}  // namespace

FileSearchResult in_tiles(const PlacedClouds& clouds, Communicator& ranks) {
  const FileSearchOptions& options = clouds.options();
  const PointSource& data = clouds.data();
  const std::int64_t queries = (clouds.queries() ? *clouds.queries() : data).size();
  ResultStore rows(
      ranks, {.data_points = data.size(), .k = options.search.k, .sky = options.sky, .far = clouds.far_distance()},
      row_blocks(queries, rows_of_block(queries, options.sizes.block_rows, ranks.size())), options.files());
  FileSearchReport report = clouds.are_float64() ? TiledSearch<double>(clouds, ranks, rows).run()
                                                 : TiledSearch<float>(clouds, ranks, rows).run();
  rows.deliver();
  report.add(rows, ranks);
  return {std::move(rows), report};
}

}  // namespace kann::flow
