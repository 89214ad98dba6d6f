#include "flow/lists_in_tiles.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kann/array.hpp"
#include "kann/search.hpp"

#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "flow/loaded_tile.hpp"
#include "flow/ranks/record.hpp"
#include "flow/routes/ball_queries.hpp"
#include "flow/routes/tile_store.hpp"
#include "flow/rows/list_counts.hpp"
#include "flow/tile_memory.hpp"
#include "formats/files/spool.hpp"
#include "geometry/within_radius.hpp"
#include "search/search_radius.hpp"
#include "search/sphere_distances.hpp"

namespace kann::flow {
namespace {

/// One search. T is the type of the coordinates of both clouds.
template <class T>
class ListsInTiles {
 public:
  ListsInTiles(const PlacedClouds& clouds, const ListRequest& request, Communicator& ranks)
      : ranks_(ranks),
        clouds_(clouds),
        options_(clouds.options()),
        request_(request),
        is_self_(!clouds.queries()),
        dimensions_(clouds.data().dimensions()),
        threads_(base::thread_count(options_.search.threads)),
        ball_{*options_.search.radius, geometry::WithinRadius(*options_.search.radius).sq_bound(), clouds.images()},
        search_(options_.search),
        kind_{.data_points = clouds.data().size(),
              .drops_own = is_self_ && !options_.search.include_self,
              .is_half = request.is_half},
        is_exact_(!(request.is_half && clouds.images())),
        may_have_copies_(ball_.images && ball_.images->box.may_repeat(ball_.sq_bound)),
        counts_charge_(options_.memory, ListCounts::bytes(queries(), ranks.size())),
        counts_(queries()),
        store_(clouds.data(), clouds.queries(), options_, ranks),
        asked_(store_, ball_, options_, ranks),
        counted_(options_.folder, store_.size(), options_.sizes.chunk_bytes, options_.memory),
        tile_(store_, options_, dimensions_, clouds.data().name()) {
    search_.on_progress = nullptr;
    search_.include_self = false;
    search_.data_name = clouds.data().name();
    search_.query_name = clouds.query_name();
  }

  FileLists run() {
    const auto start = std::chrono::steady_clock::now();
    const bool lists_any = !request_.counts_only || !is_exact_;
    asked_.send(is_self_, point_bytes() + (lists_any ? static_cast<double>(counted_bytes()) : 0),
                [&](std::span<const std::int64_t> own) {
                  if (!kind_.drops_own && !kind_.is_half) return;
                  for (const std::int64_t query : own)
                    counts_.add(query, -1);  // each is found at its own place, and left out
                });
    for (std::size_t t = 0; t < store_.size(); ++t) {
      count_in(store_.first() + t);
      show_progress(0, t + 1);
    }
    if (report_.last.device.name.empty()) {  // this rank had no query: a search without queries names its device
      const PointsView none{dimensions_, std::span<const T>()};
      SearchOptions nearest = search_;
      nearest.radius.reset();
      keep_last(kann::search(none, none, nearest).report, report_);
    }
    counts_.sum(ranks_);
    FileLists lists;
    lists.neighbors = kind_.is_half ? counts_.total() / 2 : counts_.total();
    if (lists_any) {
      lists.store = open_store(lists.neighbors);
      // The tile that was loaded last is the first
      for (std::size_t t = store_.size(); t-- > 0;) {
        list_in(store_.first() + t, *lists.store);
        show_progress(1, store_.size() - t);
      }
      tile_.unload();
      lists.store->deliver();
      lists.neighbors = lists.store->listed();
    }
    report_.search_seconds = base::seconds_since(start);
    report_.points_seconds = tile_.seconds();
    lists.report = whole_report(lists);
    if (request_.counts_only) lists.store.reset();
    return lists;
  }

 private:
  base::MemoryCharge charge(double bytes) const { return {options_.memory, bytes}; }
  double point_bytes() const { return static_cast<double>(store_.point_bytes()); }
  std::int64_t queries() const { return (is_self_ ? clouds_.data() : *clouds_.queries()).size(); }

  void show_progress(int pass, std::size_t tiles) const {
    const double done = static_cast<double>(tiles) / static_cast<double>(store_.size());
    options_.show_progress((pass + done) / (request_.counts_only && is_exact_ ? 1 : 2));
  }

  /// Some consecutive queries that are searched in a tile, and from where: from their own places, or with images.
  struct Batch {
    const NumberedPoints<T>& queries;
    std::int64_t first, count;
    PointsView places;
    const detail::QueryPlaces* of_queries;  ///< null: place i is that of query i

    std::int64_t begin_of(std::int64_t i) const {
      return of_queries ? of_queries->begins[static_cast<std::size_t>(i)] : i;
    }
  };

  static Batch all_of(const NumberedPoints<T>& queries) {
    return {queries, 0, queries.size(), queries.view(), nullptr};
  }

  /// Counts the neighbours of all queries that are searched in a tile, and keeps the queries that have some.
  void count_in(std::size_t tile) {
    if (!asked_.has(tile)) return;
    tile_.load(tile);
    const std::size_t bytes = store_.point_bytes();
    asked_.take(tile, part_of_piece(options_.sizes.piece_queries), [&](std::span<const std::byte> records) {
      const std::size_t n = records.size() / bytes;
      const base::MemoryCharge queries_charge =
          charge(static_cast<double>(n) * counting_bytes(point_bytes(), tile_.query_bytes()) + tile_.ordering_bytes());
      const NumberedPoints<T> queries = store_.points_of(records);
      for_each_batch(tile, queries, [&](const Batch& batch) { count(tile, batch); });
    });
  }

  void count(std::size_t tile, const Batch& batch) {
    RadiusResult found = detail::search_radius(tile_.index(), batch.places, search_, -1);
    keep_last(std::move(found.report), report_);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(batch.count));
    std::vector<std::byte> counted(counts.size() * counted_bytes());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      counts[i] = found.lists.begins[batch.begin_of(place + 1)] - found.lists.begins[batch.begin_of(place)];
      if (counts[i] == 0) continue;
      const std::int64_t query = batch.first + place;
      if (!may_have_copies_) counts_.add(batch.queries.numbers[static_cast<std::size_t>(query)], counts[i]);
      RecordWriter(std::span(counted).subspan(kept++ * counted_bytes(), counted_bytes()))
          .put(batch.queries.numbers[static_cast<std::size_t>(query)])
          .put(batch.queries.at(query))
          .put(counts[i]);
    }
    if (may_have_copies_)
      list_in_groups(batch, counts, [&](std::span<const std::int64_t> numbers, const NeighborLists& lists) {
        for (std::size_t i = 0; i < numbers.size(); ++i) counts_.add(numbers[i], lists.begins[i + 1] - lists.begins[i]);
      });
    if (!request_.counts_only || !is_exact_)
      counted_.append(tile - store_.first(), std::span(counted).first(kept * counted_bytes()));
  }

  std::size_t counted_bytes() const { return store_.point_bytes() + sizeof(std::int64_t); }

  /// @param neighbors in all lists, at most
  std::unique_ptr<ResultStore> open_store(std::int64_t neighbors) {
    const double record = ResultStore::record_bytes(1, kind_.has_wide_ids());
    if (request_.on_counted)
      request_.on_counted(
          {neighbors, is_exact_, record * static_cast<double>(neighbors) / ranks_.size() * ranks_.host_size()});
    const ListBlockSizes most(options_.sizes, neighbors, ranks_.size());
    BlockBegins blocks = counts_.blocks(most.neighbors, most.queries);
    TemporaryFiles files = options_.files();
    files.chunk = list_chunk_bytes(options_.sizes, std::ssize(blocks) - 1, ranks_.size());
    return std::make_unique<ResultStore>(ranks_, kind_, std::move(blocks), files, options_.sizes.merged);
  }

  /// Lists the neighbours in a tile, of as many queries at a time as have no more than are held together.
  void list_in(std::size_t tile, ResultStore& store) {
    const std::size_t place = tile - store_.first(), bytes = counted_bytes();
    if (counted_.size(place) == 0) return;
    tile_.load(tile);
    counted_.take(place, static_cast<std::size_t>(part_of_piece(options_.sizes.piece_queries)) * bytes,
                  [&](std::span<const std::byte> records) {
                    const std::size_t n = records.size() / bytes;
                    const base::MemoryCharge queries_charge =
                        charge(static_cast<double>(n) * listing_bytes(point_bytes(), tile_.query_bytes()));
                    NumberedPoints<T> queries{dimensions_, Array<std::int64_t>(n),
                                              Array<T>(n * static_cast<std::size_t>(dimensions_))};
                    std::vector<std::int64_t> counts(n);
                    base::parallel_for(static_cast<std::int64_t>(n), threads_, [&](std::int64_t i) {
                      const auto at = static_cast<std::size_t>(i), d = static_cast<std::size_t>(dimensions_);
                      RecordReader reader(records.subspan(at * bytes, bytes));
                      queries.numbers[at] = reader.take<std::int64_t>();
                      reader.take(std::span<T>(queries.coordinates.data() + at * d, d));
                      counts[at] = reader.take<std::int64_t>();
                    });
                    const auto list = [&](const Batch& batch) {
                      const auto some = std::span(counts).subspan(static_cast<std::size_t>(batch.first),
                                                                  static_cast<std::size_t>(batch.count));
                      list_in_groups(batch, some, [&](auto numbers, const NeighborLists& lists) {
                        store.add({numbers, lists, tile_.points().numbers});
                      });
                    };
                    may_have_copies_ ? for_each_batch(tile, queries, list) : list(all_of(queries));
                  });
  }

  /// Calls f() with the queries, and then with their images in a periodic box, some at a time, as queries of their own;
  /// or with queries and images together, where several may find the same neighbour.
  template <class F>
  void for_each_batch(std::size_t tile, const NumberedPoints<T>& queries, F f) {
    if (!may_have_copies_) f(all_of(queries));
    if (!ball_.images) return;
    const detail::ImagedQueries imaged{.box = ball_.images->box,
                                       .extent = store_.map().box(tile),
                                       .queries = queries.view(),
                                       .has_queries = may_have_copies_,
                                       .sq_radius = [&](std::int64_t) { return ball_.sq_bound; },
                                       .threads = threads_};
    imaged.for_each(places_together(options_.sizes), [&](const detail::QueryPlaces& places) {
      const auto charged = charge(static_cast<double>(places.size()) * place_bytes(dimensions_, tile_.query_bytes()));
      if (may_have_copies_)
        return f(Batch{queries, places.queries.front(), std::ssize(places.queries), places.view(dimensions_), &places});
      const NumberedPoints<T> images = numbered(places, queries);
      f(all_of(images));
    });
  }

  /// Calls f(numbers, lists) with the lists of the queries, of as many at a time as have no more neighbours than are
  /// held together. @param counts how many their places find
  template <class F>
  void list_in_groups(const Batch& batch, std::span<const std::int64_t> counts, F f) {
    const auto n = static_cast<std::size_t>(batch.count);
    for (std::size_t first = 0, end = 0; first < n; first = end) {
      std::int64_t sum = counts[end++];
      while (end < n && sum + counts[end] <= options_.sizes.listed) sum += counts[end++];
      const auto from = static_cast<std::int64_t>(first), some = static_cast<std::int64_t>(end - first);
      f(std::span(batch.queries.numbers).subspan(static_cast<std::size_t>(batch.first) + first, end - first),
        lists_of(batch, from, some, sum));
    }
  }

  /// The lists of `count` queries of a batch, from `first` on, whose places find so many neighbours.
  NeighborLists lists_of(const Batch& batch, std::int64_t first, std::int64_t count, std::int64_t neighbors) {
    const PointsView places = batch.places.part(batch.begin_of(first), batch.begin_of(first + count));
    auto found_charge = charge(static_cast<double>(neighbors) * k_listing_bytes + tile_.ordering_bytes());
    RadiusResult found = detail::search_radius(tile_.index(), places, search_, neighbors);
    found_charge.resize(found_bytes(static_cast<double>(neighbors), 1));
    if (options_.sky) detail::set_sphere_distances(tile_.points().view(), places, *options_.sky, threads_, found.lists);
    keep_last(std::move(found.report), report_);
    if (!batch.of_queries) return std::move(found.lists);
    found_charge.resize(3 * found_bytes(static_cast<double>(neighbors), 1));
    return detail::lists_of_queries(*batch.of_queries, first, count, found.lists, threads_);
  }

  FileSearchReport whole_report(const FileLists& lists) {
    FileSearchReport& r = report_;
    const ResultStore* const kept = lists.store.get();
    r.visits = asked_.sent();
    r.sent_bytes = asked_.sent_bytes() + (kept ? kept->sent_bytes() : 0);
    r.temporary_bytes = asked_.file_bytes() + counted_.file_bytes() + (kept ? kept->file_bytes() : 0);
    r.add_tiles(store_, clouds_.seconds(), ranks_);
    r.visits -= (is_self_ ? r.data : r.query).valid;
    r.rounds = 1;
    r.rows.neighbors = lists.neighbors;
    r.rows.past_float32 = ranks_.sum(kept ? kept->counts().past_float32 : 0);
    return r;
  }

  Communicator& ranks_;
  const PlacedClouds& clouds_;
  const FileSearchOptions& options_;
  const ListRequest& request_;
  const bool is_self_;
  const int dimensions_, threads_;
  const Ball ball_;
  SearchOptions search_;  // of queries in a tile
  const ResultKind kind_;
  const bool is_exact_;         // whether the counts of the tiles tell how many neighbours there are
  const bool may_have_copies_;  // whether several places of a query may find the same neighbour
  base::MemoryCharge counts_charge_;
  ListCounts counts_;
  FileSearchReport report_;
  TileStore<T> store_;
  BallQueries<T> asked_;    // the queries of each tile
  formats::Spool counted_;  // those that have neighbours there, each with their number
  LoadedTile<T> tile_;
};

}  // namespace

FileLists lists_in_tiles(const PlacedClouds& clouds, const ListRequest& request, Communicator& ranks) {
  return clouds.are_float64() ? ListsInTiles<double>(clouds, request, ranks).run()
                              : ListsInTiles<float>(clouds, request, ranks).run();
}

}  // namespace kann::flow
