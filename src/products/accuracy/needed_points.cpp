#include "products/accuracy/needed_points.hpp"

#include <algorithm>
#include <utility>

#include "base/threads/parallel.hpp"
#include "products/accuracy/distinct_points.hpp"
#include "products/accuracy/reference_tree.hpp"

namespace kann::accuracy {
namespace {

NumberedPoint numbered(const PointsView& points, std::int64_t i, std::int64_t first) {
  NumberedPoint out{first + i, {}};
  for (int a = 0; a < points.dimensions; ++a) out.point[static_cast<std::size_t>(a)] = points.at(i, a);
  return out;
}

double scale_of(const CloudFacts& facts, int dimensions) {
  return choose_scale(joined(facts.data, facts.queries), dimensions);
}

}  // namespace

NeededPoints::NeededPoints(const Points& queries, std::span<const std::int64_t> own, std::vector<std::int64_t> named,
                           std::int64_t k, const CloudFacts& facts, const Sides& sides, bool is_sky, int threads)
    : sides_(sides),
      is_sky_(is_sky),
      data_extent_(facts.data),
      queries_(queries, PlacedPoints::Role::queries, facts.data, sides, is_sky),
      query_count_(queries.size()),
      own_(own),
      named_(std::move(named)),
      k_(k),
      scale_(scale_of(placed_facts(facts, sides, is_sky), PointsView(queries_).dimensions)),
      threads_(threads),
      found_(static_cast<std::size_t>(queries.size() * k)),
      counts_(static_cast<std::size_t>(queries.size())) {
  named_.insert(named_.end(), own.begin(), own.end());
  std::ranges::sort(named_);
  named_.erase(std::ranges::unique(named_).begin(), named_.end());
}

void NeededPoints::add(std::int64_t first, const PointsView& block) {
  for (auto row = std::ranges::lower_bound(named_, first); row != named_.end() && *row < first + block.size(); ++row)
    named_points_.push_back(numbered(block, *row - first, first));
  // Each thread builds a tree of its own: nanoflann builds a tree on a single thread, which takes longer than searching
  // it
  base::parallel_blocks(block.size(), threads_, [&](int, std::int64_t begin, std::int64_t end) {
    if (begin < end) search(first + begin, block.part(begin, end));
  });
}

void NeededPoints::search(std::int64_t first, const PointsView& points) {
  const PlacedPoints moved(points, PlacedPoints::Role::data, data_extent_, sides_, is_sky_);
  const PointsView placed = moved;
  const Extent extent = measure(placed).scaled(scale_);
  const DistinctPoints distinct = distinct_points(Coordinates(placed, scale_), points.size(), extent, 1);
  const ReferenceTree tree(distinct, placed.dimensions);
  const Coordinates queries(queries_, scale_);
  const Sides sides = sides_.scaled(scale_);
  std::vector<Nearest> nearest;
  // Threads begin at different queries, and so seldom wait for each other
  const std::int64_t n = query_count_, start = n > 0 ? first % n : 0;
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t i = (start + step) % n;
    const std::int64_t own = own_.empty() ? -1 : own_[static_cast<std::size_t>(i)] - first;
    const bool is_own_here = own >= 0 && own < points.size();
    nearest.resize(static_cast<std::size_t>(std::min(k_, distinct.valid - (is_own_here ? 1 : 0))));
    const LeftOut left_out{is_own_here ? own : -1};
    if (sides.any())
      nearest_in_box(tree, extent, sides, placed.dimensions, queries[i].data(), left_out, nearest);
    else
      tree.nearest(queries[i].data(), left_out, nearest);
    for (const Nearest& one : nearest) add_nearest(i, {one.sq_dist, numbered(points, one.id, first)});
  }
}

void NeededPoints::add_nearest(std::int64_t i, const FoundPoint& found) {
  const std::lock_guard lock(guards_[static_cast<std::size_t>(i) % guards_.size()]);
  std::int64_t& count = counts_[static_cast<std::size_t>(i)];
  FoundPoint* const row = found_.data() + i * k_;
  if (count == k_ && (k_ == 0 || !(found < row[k_ - 1]))) return;
  if (count < k_) ++count;
  FoundPoint* const place = std::upper_bound(row, row + count - 1, found);
  std::move_backward(place, row + count - 1, row + count);
  *place = found;
}

}  // namespace kann::accuracy
