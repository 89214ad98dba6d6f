#include "flow/clusters_in_tiles.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "flow/ranks/record.hpp"
#include "flow/routes/ball_queries.hpp"
#include "flow/routes/tile_store.hpp"
#include "flow/tile_memory.hpp"
#include "formats/files/spool.hpp"
#include "geometry/within_radius.hpp"
#include "search/clusters/number_clusters.hpp"
#include "search/clusters/tile_clusters.hpp"

namespace kann::flow {
namespace {

/// @tparam T the type of the coordinates
template <class T>
class ClustersInTiles {
 public:
  ClustersInTiles(const PlacedClouds& clouds, std::int64_t min_points, Communicator& ranks)
      : ranks_(ranks),
        clouds_(clouds),
        options_(clouds.options()),
        ball_{*options_.search.radius, geometry::WithinRadius(*options_.search.radius).sq_bound(), clouds.images()},
        sets_charge_(options_.memory, problem::DisjointSets::bytes(points())),
        flags_charge_(options_.memory, cluster_flag_bytes(points(), ranks.size())),
        sets_(clouds.data().size(), base::thread_count(options_.search.threads)),
        is_core_(clouds.data().size()),
        store_(clouds.data(), nullptr, options_, ranks),
        asked_(store_, ball_, options_, ranks, false),
        clusters_(work(min_points), options_.search) {}

  FileClusters run() {
    const auto start = std::chrono::steady_clock::now();
    asked_.send(true, point_bytes(), [](std::span<const std::int64_t>) {});
    for_each_tile(0, [&](std::size_t tile, const problem::ClusteredPoints& own) {
      clusters_.find_core_points(own, points_around(tile, own), is_core_);
    });
    ranks_.sum(is_core_.words());  // each point is in a tile of one rank
    for_each_tile(1, [&](std::size_t tile, const problem::ClusteredPoints& own) {
      clusters_.link(own, points_around(tile, own), is_core_, sets_);
    });
    put_together();
    FileClusters clusters;
    if (ranks_.rank() == 0) {
      const base::MemoryCharge sizes(options_.memory, static_cast<double>(sets_.size()) * sizeof(std::int64_t));
      clusters.counts = detail::number_clusters(sets_.parents());
      clusters.labels = std::move(sets_.parents());
      clusters.charge = std::move(sets_charge_);
    }
    clusters.counts = ranks_.gather_value(clusters.counts).front();
    report_.search_seconds = base::seconds_since(start);
    clusters.report = whole_report();
    return clusters;
  }

 private:
  /// What this rank clusters.
  detail::ClusterWork work(std::int64_t min_points) const {
    const std::int64_t points = store_.points();
    return {{.data_points = points, .dimensions = clouds_.data().dimensions(), .finds_clusters = true},
            std::min(points, most_tile_points(options_.sizes.tile_points)),
            sizeof(T) == sizeof(double),
            {*options_.search.radius, min_points, base::thread_count(options_.search.threads)}};
  }

  base::MemoryCharge charge(double bytes) const { return {options_.memory, bytes}; }
  double points() const { return static_cast<double>(clouds_.data().size()); }

  /// Calls f(tile, points) for each tile of this rank.
  template <class F>
  void for_each_tile(int pass, F f) {
    for (std::size_t t = 0; t < store_.size(); ++t) {
      const NumberedPoints<T> own = store_.data(store_.first() + t);
      const base::MemoryCharge charged =
          charge(static_cast<double>(own.size()) * clustering_bytes(point_bytes(), sizeof(T)));
      f(store_.first() + t, problem::ClusteredPoints{own.view(), own.numbers});
      options_.show_progress((pass + static_cast<double>(t + 1) / static_cast<double>(store_.size())) / 2);
    }
  }

  double point_bytes() const { return static_cast<double>(store_.point_bytes()); }
  std::int64_t most_around() const { return part_of_piece(options_.sizes.piece_queries); }

  /// The points that were sent to a tile, and images of them. Those that lie in it were sent for their images alone.
  detail::AroundTile points_around(std::size_t tile, const problem::ClusteredPoints& own) const {
    return [this, tile, &own](const std::function<void(const problem::ClusteredPoints&)>& f) {
      asked_.read(tile, most_around(), [&](std::span<const std::byte> records) {
        const double n = static_cast<double>(records.size() / store_.point_bytes());
        const base::MemoryCharge charged = charge(n * (point_bytes() + clustering_bytes(point_bytes(), sizeof(T))));
        const NumberedPoints<T> points = store_.points_of(records);
        if (!ball_.images) return f({points.view(), points.numbers});
        NumberedPoints<T> others{points.dimensions, {}, {}};
        for (std::int64_t i = 0; i < points.size(); ++i) {
          if (std::ranges::binary_search(own.numbers, points.numbers[static_cast<std::size_t>(i)])) continue;
          others.numbers.push_back(points.numbers[static_cast<std::size_t>(i)]);
          others.coordinates.insert(others.coordinates.end(), points.at(i).begin(), points.at(i).end());
        }
        f({others.view(), others.numbers});
        pass_images(tile, points, f);
      });
    };
  }

  /// Passes on the images of points that may be within the radius of a point in a tile.
  void pass_images(std::size_t tile, const NumberedPoints<T>& points,
                   const std::function<void(const problem::ClusteredPoints&)>& f) const {
    const detail::ImagedQueries imaged{.images = ball_.images->rule,
                                       .extent = store_.map().box(tile),
                                       .queries = points.view(),
                                       .sq_radius = [&](std::int64_t) { return ball_.sq_bound; },
                                       .threads = base::thread_count(options_.search.threads)};
    imaged.for_each(places_together(options_.sizes), [&](const detail::QueryPlaces& places) {
      const base::MemoryCharge charged =
          charge(static_cast<double>(places.size()) * clustering_bytes(4 * point_bytes(), sizeof(T)));
      const NumberedPoints<T> images = numbered(places, points);
      f({images.view(), images.numbers});
    });
  }

  /// Brings the sets of all ranks to rank 0. Core points may be in sets of several ranks; the parent of any other point
  /// is known to the rank of its tile. Points that are not finite are in no tile.
  void put_together() {
    Array<std::int64_t>& parents = sets_.parents();
    for (std::int64_t first = 0; first < sets_.size() && !ranks_.is_alone(); first += k_parents_together) {
      const auto count = static_cast<std::size_t>(std::min(k_parents_together, sets_.size() - first));
      const std::span<const std::int64_t> own(parents.data() + first, count);
      std::vector<Bytes> to(static_cast<std::size_t>(ranks_.size()));
      if (ranks_.rank() > 0) to.front().assign(std::as_bytes(own).begin(), std::as_bytes(own).end());
      for (const Bytes& sent : ranks_.exchange(std::move(to))) take_parents(first, sent);
    }
    if (ranks_.rank() > 0) return;
    for (std::int64_t i = 0; i < sets_.size(); ++i)
      if (std::int64_t& parent = parents[static_cast<std::size_t>(i)]; parent == i && !is_core_[i]) parent = -1;
  }

  void take_parents(std::int64_t first, const Bytes& sent) {
    RecordReader reader(sent);
    const auto count = static_cast<std::int64_t>(sent.size() / sizeof(std::int64_t));
    for (std::int64_t i = first; i < first + count; ++i) {
      const auto parent = reader.take<std::int64_t>();
      if (parent == i) continue;
      if (is_core_[i])
        sets_.unite(i, parent);
      else
        sets_.parents()[static_cast<std::size_t>(i)] = parent;
    }
  }

  FileSearchReport whole_report() {
    FileSearchReport& r = report_;
    clusters_.describe(r.last);
    r.visits = asked_.sent();
    r.sent_bytes = asked_.sent_bytes();
    r.temporary_bytes = asked_.file_bytes();
    r.add_tiles(store_, clouds_.seconds(), ranks_);
    r.rounds = 1;
    return r;
  }

  Communicator& ranks_;
  const PlacedClouds& clouds_;
  const FileSearchOptions& options_;
  const Ball ball_;
  base::MemoryCharge sets_charge_, flags_charge_;
  problem::DisjointSets sets_;
  problem::PointFlags is_core_;
  FileSearchReport report_;
  TileStore<T> store_;
  BallQueries<T> asked_;  // the points whose balls reach a tile
  detail::TileClusters clusters_;
};

}  // namespace

FileClusters clusters_in_tiles(const PlacedClouds& clouds, std::int64_t min_points, Communicator& ranks) {
  return clouds.are_float64() ? ClustersInTiles<double>(clouds, min_points, ranks).run()
                              : ClustersInTiles<float>(clouds, min_points, ranks).run();
}

}  // namespace kann::flow
