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
#include "geometry/exact_neighbor.hpp"
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
              .drops_own = is_self_ && (!options_.search.include_self || has_all_images()),
              .is_half = request.is_half},
        is_exact_(!(request.is_half && clouds.images())),
        own_(own_distances()),
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
                  const std::int64_t of_images = std::ssize(own_) * (kind_.is_half ? 2 : 1);
                  for (const std::int64_t query : own)
                    counts_.add(query, of_images - 1);  // each is found at its own place, and left out
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
        list_own(store_.first() + t, *lists.store);
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

  bool has_all_images() const { return clouds_.images() && !clouds_.images()->rule.only_nearest; }

  /// Where all images are neighbours of the data, the distances from a point to its own: of half of the pairs, one of
  /// each two that are equal.
  std::vector<float> own_distances() const {
    std::vector<float> own;
    if (!is_self_ || !has_all_images()) return own;
    for (const double sq_dist : ball_.images->rule.sq_lengths) own.push_back(geometry::rounded_root(sq_dist));
    if (options_.search.include_self && !kind_.is_half) own.insert(own.begin(), 0);
    for (std::size_t i = 0; kind_.is_half && i < own.size(); ++i)
      own.erase(own.begin() + static_cast<std::ptrdiff_t>(i));
    return own;
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
      count(tile, queries);
      if (ball_.images) count_images(tile, queries);
    });
  }

  /// The same for images of these queries, some at a time, as queries of their own.
  void count_images(std::size_t tile, const NumberedPoints<T>& queries) {
    const detail::ImagedQueries imaged{.images = ball_.images->rule,
                                       .extent = store_.map().box(tile),
                                       .queries = queries.view(),
                                       .sq_radius = [&](std::int64_t) { return ball_.sq_bound; },
                                       .threads = threads_};
    imaged.for_each(places_together(options_.sizes), [&](const detail::QueryPlaces& places) {
      const auto charged = charge(static_cast<double>(places.size()) * place_bytes(dimensions_, tile_.query_bytes()));
      const NumberedPoints<T> images = numbered(places, queries);
      count(tile, images);
      if (is_self_ && has_all_images()) leave_out_own(places, queries, images);
    });
  }

  /// Leaves out the own point of each query in this tile that its images have found.
  void leave_out_own(const detail::QueryPlaces& places, const NumberedPoints<T>& queries,
                     const NumberedPoints<T>& images) {
    const geometry::WithinRadius is_within(ball_.radius);
    const Array<std::int64_t>& in_tile = tile_.points().numbers;
    for (std::size_t i = 0; i < places.queries.size(); ++i) {
      const Coordinates own = queries.point(places.queries[i]);
      for (std::int64_t image = places.begins[i]; image < places.begins[i + 1]; ++image) {
        const Coordinates at = images.point(image);
        const std::int64_t number = images.numbers[static_cast<std::size_t>(image)];
        if (is_within(at[0] - own[0], at[1] - own[1], at[2] - own[2]) && std::ranges::binary_search(in_tile, number))
          counts_.add(number, -1);
      }
    }
  }

  void count(std::size_t tile, const NumberedPoints<T>& queries) {
    RadiusResult found = detail::search_radius(tile_.index(), queries.view(), search_, -1);
    keep_last(std::move(found.report), report_);
    std::vector<std::byte> counted(queries.numbers.size() * counted_bytes());
    std::size_t kept = 0;
    for (std::int64_t query = 0; query < queries.size(); ++query) {
      const std::int64_t count = found.lists.begins[query + 1] - found.lists.begins[query],
                         number = queries.numbers[static_cast<std::size_t>(query)];
      if (count == 0) continue;
      counts_.add(number, count);
      RecordWriter(std::span(counted).subspan(kept++ * counted_bytes(), counted_bytes()))
          .put(number)
          .put(queries.at(query))
          .put(count);
    }
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
                    list_in_groups(queries, counts, store);
                  });
  }

  /// Lists the own images of the points in a tile.
  void list_own(std::size_t tile, ResultStore& store) {
    if (own_.empty()) return;
    tile_.load(tile);
    const std::span<const std::int64_t> numbers = tile_.points().numbers;
    const std::size_t each = own_.size(),
                      most = std::max<std::size_t>(1, static_cast<std::size_t>(options_.sizes.listed) / each);
    for (std::size_t first = 0; first < numbers.size(); first += most) {
      const std::span<const std::int64_t> some = numbers.subspan(first, std::min(most, numbers.size() - first));
      const auto charged = charge(found_bytes(static_cast<double>(some.size() * each), 1));
      NeighborLists lists;
      lists.begins.push_back(0);
      for (std::size_t i = 0; i < some.size(); ++i) {
        lists.ids.resize(lists.ids.size() + each, static_cast<std::int32_t>(i));
        lists.distances.insert(lists.distances.end(), own_.begin(), own_.end());
        lists.begins.push_back(std::ssize(lists.ids));
      }
      store.add({some, lists, some, true});
    }
  }

  /// Lists the neighbours of the queries, of as many at a time as have no more than are held together.
  /// @param counts how many each has in the tile
  void list_in_groups(const NumberedPoints<T>& queries, std::span<const std::int64_t> counts, ResultStore& store) {
    for (std::size_t first = 0, end = 0; first < counts.size(); first = end) {
      std::int64_t sum = counts[end++];
      while (end < counts.size() && sum + counts[end] <= options_.sizes.listed) sum += counts[end++];
      const PointsView some = queries.view().part(static_cast<std::int64_t>(first), static_cast<std::int64_t>(end));
      const NeighborLists lists = lists_of(some, sum);
      store.add({std::span(queries.numbers).subspan(first, end - first), lists, tile_.points().numbers});
    }
  }

  /// The lists of queries that have so many neighbours.
  NeighborLists lists_of(const PointsView& queries, std::int64_t neighbors) {
    auto found_charge = charge(static_cast<double>(neighbors) * k_listing_bytes + tile_.ordering_bytes());
    RadiusResult found = detail::search_radius(tile_.index(), queries, search_, neighbors);
    found_charge.resize(found_bytes(static_cast<double>(neighbors), 1));
    if (options_.sky)
      detail::set_sphere_distances(tile_.points().view(), queries, *options_.sky, threads_, found.lists);
    keep_last(std::move(found.report), report_);
    return std::move(found.lists);
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
  const bool is_exact_;           // whether the counts of the tiles tell how many neighbours there are
  const std::vector<float> own_;  // own_distances()
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
