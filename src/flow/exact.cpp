#include "flow/exact.hpp"

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
#include "flow/ranks/record.hpp"
#include "flow/ranks/record_batch.hpp"
#include "flow/ranks/record_exchange.hpp"
#include "flow/routes/tile_store.hpp"
#include "flow/rows/tile_rows.hpp"
#include "formats/files/spool.hpp"
#include "geometry/within_radius.hpp"

namespace kann::flow {
namespace {

/// One search. T is the type of the coordinates of both clouds.
template <class T>
class ExactTiles {
 public:
  /// `whole_rows`, where it is not null, may be given rows in the place of take_rows().
  ExactTiles(const PointSource& data, const TileQueries& queries, const TileOptions& options, Communicator& ranks,
             const TakeRows& take_rows, RowStore* whole_rows)
      : ranks_(ranks),
        data_(data),
        queries_(queries),
        options_(options),
        d_(static_cast<std::size_t>(data.dimensions())),
        k_(options.search.k),
        threads_(base::thread_count(options.search.threads)),
        sq_bound_(options.search.radius ? geometry::WithinRadius(*options.search.radius).sq_bound()
                                        : std::numeric_limits<double>::infinity()),
        store_(data, queries, options, ranks),
        waiting_(options.folder, store_.size(), options.sizes.chunk_bytes),
        forwarded_(ranks, forwarded_bytes(), options.folder, options.sizes.chunk_bytes,
                   [&](std::uint32_t tile, std::span<const std::byte> records) {
                     waiting_.append(tile - store_.first(), records);
                   }),
        take_rows_(take_rows),
        whole_rows_(whole_rows),
        batch_(forwarded_bytes(), threads_) {}

  TileReport run() {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t t = 0; t < store_.size(); ++t) {
      search_tile(store_.first() + t, true);
      // Forwarded queries come later: most are done by then
      options_.show_progress(static_cast<double>(t + 1) / static_cast<double>(store_.size()));
    }
    for (forwarded_.deliver(); ranks_.any(has_forwarded()); forwarded_.deliver()) {
      for (std::size_t t = 0; t < store_.size(); ++t) search_tile(store_.first() + t, false);
      ++report_.rounds;
    }
    if (report_.last.device.name.empty()) {  // no query was here: a search of none names the device
      const PointsView none{static_cast<int>(d_), std::span<const T>()};
      keep_last(kann::search(none, none, search_options()).report, report_);
    }
    report_.search_seconds = base::seconds_since(start);
    report_.survey_seconds = store_.survey_seconds();
    report_.order_seconds = store_.order_seconds();
    report_.data = store_.of_data();
    report_.query = store_.of_queries();
    report_.ranks = ranks_.size();
    report_.tiles = static_cast<std::int64_t>(store_.map().size());
    report_.visits = ranks_.sum(report_.visits);
    const auto sum = [&](std::uint64_t own) {
      return static_cast<std::uint64_t>(ranks_.sum(static_cast<std::int64_t>(own)));
    };
    report_.most_points = std::ranges::max(ranks_.gather_value(store_.points()));
    report_.sent_bytes = sum(store_.sent_bytes() + forwarded_.sent_bytes());
    report_.temporary_bytes = sum(store_.file_bytes() + waiting_.file_bytes() + forwarded_.file_bytes());
    return report_;
  }

 private:
  bool has_forwarded() const {
    for (std::size_t t = 0; t < store_.size(); ++t)
      if (waiting_.size(t) > 0) return true;
    return false;
  }

  std::size_t forwarded_bytes() const {
    return store_.point_bytes() + sizeof(std::uint32_t) + static_cast<std::size_t>(k_) * sizeof(TileNeighbor);
  }
  SearchOptions search_options() const {
    SearchOptions options = options_.search;
    options.method = Method::exact;  // for one neighbour more, it might not be the default
    options.on_progress = nullptr;
    options.radius.reset();  // it is applied to whole rows, at the end
    options.k = k_;
    options.data_name = data_.name();
    options.query_name = name_of(data_, queries_);
    return options;
  }

  /// Searches the queries that lie in the tile, in the first round, and those that other tiles have forwarded.
  void search_tile(std::size_t tile, bool is_first_round) {
    const std::size_t place = tile - store_.first();
    const bool has_home = is_first_round && store_.has_queries(tile);
    if (!has_home && waiting_.size(place) == 0) return;
    if (!loaded_tile(tile)) load(tile);
    if (has_home) search_home(tile);
    waiting_.take(place, static_cast<std::size_t>(options_.sizes.piece_queries) * forwarded_bytes(),
                  [&](std::span<const std::byte> bytes) { search_forwarded(tile, bytes); });
  }

  bool loaded_tile(std::size_t tile) const { return loaded_ == tile && index_; }

  void load(std::size_t tile) {
    index_.reset();
    points_ = store_.data(tile);
    index_.emplace(points_.view(), IndexOptions{options_.search.invalid, options_.search.threads, data_.name()});
    loaded_ = tile;
  }

  void search_home(std::size_t tile) {
    if (std::holds_alternative<DataQueries>(queries_))
      return take_home(tile, points_, kept(index_->search_self(search_options())));
    store_.take_queries(tile, options_.sizes.piece_queries, [&](const NumberedPoints<T>& queries) {
      take_home(tile, queries, kept(index_->search(queries.view(), search_options())));
    });
  }

  /// Takes the rows of queries that lie in the tile.
  void take_home(std::size_t tile, const NumberedPoints<T>& queries, const Neighbors& found) {
    if (!whole_rows_ || options_.search.radius)
      return send_on(tile, queries, homes_at(tile, queries), in_tile(queries, found));
    const auto k = static_cast<std::size_t>(k_);
    std::vector<std::uint8_t> stays(queries.rows.size());  // its ball reaches no other tile: the row is whole
    base::parallel_for(queries.size(), threads_, [&](std::int64_t query) {
      const auto i = static_cast<std::size_t>(query), last = i * k + k - 1;
      stays[i] = found.ids[last] != k_missing_id &&
                 !store_.map().may_reach_others(queries.point(query), found.distances[last], tile);
    });
    whole_rows_->add_full(queries.rows, stays, [&](std::size_t i, auto ids, auto distances) {
      for (std::size_t j = 0; j < k; ++j) ids[j] = points_.rows[static_cast<std::size_t>(found.ids[i * k + j])];
      std::copy_n(found.distances.begin() + static_cast<std::ptrdiff_t>(i * k), k, distances.begin());
    });
    const FoundRows<T> others = rest_of<T>(queries, found, stays, threads_);
    send_on(tile, others.queries, homes_at(tile, others.queries), in_tile(others.queries, others.found));
  }

  TileRows in_tile(const NumberedPoints<T>& queries, const Neighbors& found) const {
    return rows_in_tile<T>(points_.coordinates, points_.rows, queries.coordinates, found, points_.dimensions,
                           options_.search.radius, threads_);
  }

  /// The rows; the report is kept.
  Neighbors kept(SearchResult result) {
    keep_last(std::move(result.report), report_);
    return std::move(result.neighbors);
  }

  void search_forwarded(std::size_t tile, std::span<const std::byte> bytes) {
    const std::size_t n = bytes.size() / forwarded_bytes(), k = static_cast<std::size_t>(k_);
    NumberedPoints<T> queries{static_cast<int>(d_), Array<std::int64_t>(n), Array<T>(n * d_)};
    std::vector<std::uint32_t> homes(n);
    TileRows rows(n * k);
    base::parallel_for(static_cast<std::int64_t>(n), threads_, [&](std::int64_t query) {
      const auto i = static_cast<std::size_t>(query);
      RecordReader reader(bytes.subspan(i * forwarded_bytes(), forwarded_bytes()));
      queries.rows[i] = reader.take<std::int64_t>();
      reader.take(std::span<T>(queries.coordinates.data() + i * d_, d_));
      homes[i] = reader.take<std::uint32_t>();
      reader.take(std::span(rows).subspan(i * k, k));
    });
    report_.visits += static_cast<std::int64_t>(n);
    const TileRows here = in_tile(queries, kept(index_->search(queries.view(), search_options())));
    base::parallel_blocks(static_cast<std::int64_t>(n), threads_, [&](int, std::int64_t begin, std::int64_t end) {
      std::vector<TileNeighbor> scratch;
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        merge(std::span(rows).subspan(i * k, k), std::span(here).subspan(i * k, k), scratch);
    });
    send_on(tile, queries, homes, rows);
  }

  static std::vector<std::uint32_t> homes_at(std::size_t tile, const NumberedPoints<T>& queries) {
    return std::vector<std::uint32_t>(queries.rows.size(), static_cast<std::uint32_t>(tile));
  }

  /// Sends each query to the next tile that its ball reaches, counted from its home around, or its row to the result.
  void send_on(std::size_t tile, const NumberedPoints<T>& queries, const std::vector<std::uint32_t>& homes,
               const TileRows& rows) {
    const std::size_t n = queries.rows.size(), k = static_cast<std::size_t>(k_), tiles = store_.map().size();
    std::vector<std::uint8_t> finished(n);
    const auto row_of = [&](std::size_t i) { return std::span(rows).subspan(i * k, k); };
    batch_.make(
        static_cast<std::int64_t>(n), static_cast<std::uint32_t>(tiles),
        [&](std::int64_t query) {
          const auto i = static_cast<std::size_t>(query);
          const std::size_t next = next_tile(queries.point(query), row_of(i).back(), homes[i], tile);
          finished[i] = next == tiles;
          return finished[i] ? RecordBatch::k_nowhere : static_cast<std::uint32_t>(next);
        },
        [&](std::int64_t query, std::span<std::byte> record) {
          const auto i = static_cast<std::size_t>(query);
          RecordWriter(record).put(queries.rows[i]).put(queries.at(query)).put(homes[i]).put(row_of(i));
        });
    batch_.for_each_group([&](std::uint32_t next, std::span<const std::byte> records) {
      forwarded_.send(store_.owner(next), next, records);
    });
    take_rows_(queries.view(), queries.rows, rows, finished);
  }

  /// The next tile that the ball of a query reaches after `tile`; the number of tiles if there is none.
  std::size_t next_tile(const Coordinates& query, const TileNeighbor& last, std::size_t home, std::size_t tile) const {
    thread_local std::vector<std::uint32_t> reached;
    reached.clear();
    if (last.sq_dist > sq_bound_)
      store_.map().reached(query, sq_bound_, -1, reached);  // what is farther is not given
    else
      store_.map().reached(query, last.sq_dist, last.id, reached);
    const std::size_t tiles = store_.map().size(), passed = (tile + tiles - home) % tiles;
    std::size_t nearest = tiles;
    for (const std::uint32_t other : reached)
      if (const std::size_t way = (other + tiles - home) % tiles; way > passed) nearest = std::min(nearest, way);
    return nearest == tiles ? tiles : (home + nearest) % tiles;
  }

  Communicator& ranks_;
  const PointSource& data_;
  const TileQueries& queries_;
  const TileOptions& options_;
  const std::size_t d_;
  const std::int64_t k_;
  const int threads_;
  const double sq_bound_;  // neighbours beyond it are not given
  TileReport report_;
  TileStore<T> store_;
  formats::Spool waiting_;    // forwarded queries, by the tiles of this rank
  RecordExchange forwarded_;  // on their way there
  const TakeRows& take_rows_;
  RowStore* const whole_rows_;
  RecordBatch batch_;           // forwarded queries, by their next tile
  NumberedPoints<T> points_{};  // the points of the loaded tile
  std::size_t loaded_ = 0;
  std::optional<Index> index_;  // over points_
};

TileReport run(const PointSource& data, const TileQueries& queries, const TileOptions& options, Communicator& ranks,
               const TakeRows& take_rows, RowStore* whole_rows) {
  return are_float64(data, queries) ? ExactTiles<double>(data, queries, options, ranks, take_rows, whole_rows).run()
                                    : ExactTiles<float>(data, queries, options, ranks, take_rows, whole_rows).run();
}

}  // namespace

TileAnswer exact(const PointSource& data, const TileQueries& queries, const TileOptions& options, Communicator& ranks) {
  const auto* const cloud = std::get_if<CloudQueries>(&queries);
  RowStore rows(ranks, options.folder, cloud ? cloud->cloud.size() : data.size(), options.search.k,
                options.sizes.block_rows, data.size() > std::numeric_limits<std::int32_t>::max(),
                options.sizes.chunk_bytes, base::thread_count(options.search.threads));
  const TakeRows take_rows = [&](auto, auto some, auto of_these, auto finished) { rows.add(some, of_these, finished); };
  TileReport report = run(data, queries, options, ranks, take_rows, &rows);
  rows.deliver();
  report.add(rows, ranks);
  return {std::move(rows), report};
}

TileReport exact_rows(const PointSource& data, const TileQueries& queries, const TileOptions& options,
                      Communicator& ranks, const TakeRows& take_rows) {
  return run(data, queries, options, ranks, take_rows, nullptr);
}

}  // namespace kann::flow
