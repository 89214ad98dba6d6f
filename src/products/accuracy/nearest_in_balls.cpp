#include "products/accuracy/nearest_in_balls.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"
#include "products/accuracy/reference_tree.hpp"

namespace kann::accuracy {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

/// Above the roundings of d², and of the smallest squares.
double with_margin(double sq_dist) { return sq_dist * (1 + 0x1p-40) + 0x1p-1000; }

}  // namespace

NearestInBalls::NearestInBalls(const JudgedClouds& clouds, int threads)
    : clouds_(clouds),
      threads_(threads),
      held_(clouds.rows().rows.k + 1),
      centres_(distinct_points(clouds.queries(), clouds.rows().queries.size(),
                               clouds.placement().facts.queries.scaled(clouds.placement().scale), threads)),
      centre_of_(static_cast<std::size_t>(clouds.rows().queries.size())),
      bounds_(static_cast<std::size_t>(centres_.size())),
      last_ids_(bounds_.size(), std::numeric_limits<std::int64_t>::max()),
      found_(bounds_.size() * static_cast<std::size_t>(held_)),
      counts_(bounds_.size()),
      extent_(clouds.placement().facts.data.scaled(clouds.placement().scale)) {
  for (std::size_t centre = 0; centre < bounds_.size(); ++centre)
    for (const std::int32_t query : centres_.ids_of(centre))
      centre_of_[static_cast<std::size_t>(query)] = static_cast<std::int32_t>(centre);
  set_bounds();
  enter_balls();
}

/// Any k points that can be neighbours bound the k-th distance, and so does the radius.
void NearestInBalls::set_bounds() {
  const Placement& placement = clouds_.placement();
  const double radius = placement.radius ? *placement.radius * placement.scale : k_infinity;
  const std::int64_t k = clouds_.rows().rows.k;
  const ReferenceTree tree(clouds_, threads_);
  base::parallel_chunks(std::ssize(bounds_), 64, threads_, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Nearest> nearest;
    for (auto centre = static_cast<std::size_t>(begin); centre < static_cast<std::size_t>(end); ++centre) {
      const std::int64_t query = centres_.ids_of(centre)[0], most = std::min(k, clouds_.available(query));
      tree.find(query, nearest);
      const bool is_full = std::ssize(nearest) == most;
      const double of_row = placement.cell.has_all && !is_full ? std::min(radius, filling_radius()) : radius;
      bounds_[centre] = !is_full ? with_margin(of_row * of_row) : most > 0 ? nearest.back().sq_dist : -1;
    }
  });
}

/// Where all images count, any point has so many within this distance of a query that they fill its row.
double NearestInBalls::filling_radius() const {
  const auto k = static_cast<std::size_t>(clouds_.rows().rows.k);
  double sum = std::sqrt(clouds_.placement().scaled_cell.smallest({}, {}, k).back());
  for (int a = 0; a < clouds_.data().dimensions(); ++a) sum += 2 * (extent_.hi[a] - extent_.lo[a]);
  return sum;
}

void NearestInBalls::enter_balls() {
  const double side = width(extent_, clouds_.data().dimensions());
  if (side > 0) cells_per_length_ = std::ldexp(1.0, std::min(29 - std::ilogb(side), 1000));
  begins_.assign(std::bit_ceil(16 * bounds_.size() + 1) + 1, 0);
  std::uint64_t occurring = 0;
  for (std::size_t centre = 0; centre < bounds_.size(); ++centre)
    for_each_cell(centre, [&](const Cell& cell, int level) {
      ++begins_[bucket_of(cell, level)];
      occurring |= std::uint64_t{1} << level;
    });
  for (int level = 0; occurring >> level; ++level)
    if (occurring >> level & 1) levels_.push_back(level);
  std::uint64_t sum = 0;
  for (std::uint32_t& begin : begins_) begin = static_cast<std::uint32_t>(sum += begin);
  if (sum > std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorKind::resources, "accuracy: too many rows to judge at once; take a smaller sample");
  entered_.resize(sum);
  for (std::size_t centre = 0; centre < bounds_.size(); ++centre)
    for_each_cell(centre, [&](const Cell& cell, int level) {
      entered_[--begins_[bucket_of(cell, level)]] = static_cast<std::int32_t>(centre);
    });
}

/// Calls f(cell, level) for the cells of the box around that part of a ball, and of its images, which is in the box of
/// the data. If the centre is outside, by g, the ball is no wider there than √(r² − g²).
template <class F>
void NearestInBalls::for_each_cell(std::size_t centre, F&& f) const {
  const double sq_radius = with_margin(bounds_[centre]);
  if (bounds_[centre] < 0) return;
  const int d = clouds_.data().dimensions();
  const auto enter = [&](const std::array<double, 3>& at) {
    std::array<double, 3> sq_gaps{}, lo{}, hi{};
    for (int a = 0; a < d; ++a) {
      const double gap = std::max({0.0, extent_.lo[a] - at[a], at[a] - extent_.hi[a]});
      sq_gaps[a] = gap * gap;
    }
    for (int a = 0; a < d; ++a) {
      const double reach = std::sqrt(sq_radius - (sq_gaps[0] + sq_gaps[1] + sq_gaps[2] - sq_gaps[a]));
      lo[a] = std::max(at[a] - reach, extent_.lo[a]);
      hi[a] = std::min(at[a] + reach, extent_.hi[a]);
      if (!(lo[a] <= hi[a])) return;
    }
    const Cell first = cell_of(lo), last = cell_of(hi);
    const int level =
        static_cast<int>(std::bit_width(std::max({last[0] - first[0], last[1] - first[1], last[2] - first[2]})));
    for (std::uint32_t x = first[0] >> level; x <= last[0] >> level; ++x)
      for (std::uint32_t y = first[1] >> level; y <= last[1] >> level; ++y)
        for (std::uint32_t z = first[2] >> level; z <= last[2] >> level; ++z) f(Cell{x, y, z}, level);
  };
  const PeriodicCell& cell = clouds_.placement().scaled_cell;
  for_each_image(clouds_.queries()[centres_.ids_of(centre)[0]], cell, extent_.lo, extent_.hi, sq_radius, enter);
}

void NearestInBalls::add(std::int64_t first, const PointsView& block) {
  const Placement& placement = clouds_.placement();
  const PeriodicCell& cell = placement.scaled_cell;
  const int d = clouds_.data().dimensions();
  base::parallel_chunks(block.size(), 1 << 12, threads_, [&](std::int64_t begin, std::int64_t end) {
    const PlacedPoints placed = placement.place(block.part(begin, end), PlacedPoints::Role::data);
    const Coordinates points(placed, placement.scale);
    const Radius radius = clouds_.radius().among(placed);
    std::vector<std::size_t> reached;  // centres whose balls, or those of images, may have the point
    for (std::int64_t i = 0; i < end - begin; ++i) {
      if (!points.is_finite(i)) continue;
      const std::array<double, 3> point = points[i];
      const Cell finest = cell_of(point);
      reached.clear();
      for (const int level : levels_) {
        const std::size_t bucket = bucket_of({finest[0] >> level, finest[1] >> level, finest[2] >> level}, level);
        for (auto entry = begins_[bucket]; entry < begins_[bucket + 1]; ++entry) {
          const auto centre = static_cast<std::size_t>(entered_[entry]);
          const double* const at = &centres_.coordinates[centre * static_cast<std::size_t>(d)];
          double sum = 0;
          for (int a = 0; a < d && cell.is_by_axes(); ++a) {
            const double x = cell.component(at[a], point[a], a);
            sum += x * x;
          }
          const double bound = std::atomic_ref(bounds_[centre]).load(std::memory_order_acquire);
          if (sum <= with_margin(bound)) reached.push_back(centre);
        }
      }
      std::ranges::sort(reached);  // by images, and where cells share a bucket, more than once
      reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
      for (const std::size_t centre : reached) {
        const std::int64_t id = first + begin + i;
        if (cell.has_all && is_own(centre, id)) continue;  // its images are known
        const std::int32_t query = centres_.ids_of(centre)[0];
        const double bound = std::atomic_ref(bounds_[centre]).load(std::memory_order_acquire);
        const double* const at = &centres_.coordinates[centre * static_cast<std::size_t>(d)];
        const auto sq_dists = cell.is_by_axes() ? std::vector{sq_distance_in(at, point.data(), cell, d)}
                                                : cell.within(clouds_.queries()[query], point, with_margin(bound));
        for (const double sq_dist : sq_dists) {
          const bool is_near = sq_dist < bound || (sq_dist == bound && id < std::atomic_ref(last_ids_[centre]));
          if (is_near && !radius.excludes(query, i, sq_dist)) add_found(centre, {sq_dist, id});
        }
      }
    }
  });
}

/// Whether the data point is a query of this centre.
bool NearestInBalls::is_own(std::size_t centre, std::int64_t id) const {
  return std::ranges::any_of(centres_.ids_of(centre), [&](std::int32_t query) {
    return clouds_.left_out(query).own >= 0 && clouds_.number(query) == id;
  });
}

void NearestInBalls::add_found(std::size_t centre, const Nearest& found) {
  const std::lock_guard lock(guards_[centre % guards_.size()]);
  std::int64_t& count = counts_[centre];
  Nearest* const row = found_.data() + static_cast<std::int64_t>(centre) * held_;
  Nearest* const place = std::lower_bound(row, row + count, found);
  if (place == row + held_) return;
  count = std::min(count + 1, held_);
  std::move_backward(place, row + count - 1, row + count);
  *place = found;
  if (count < held_) return;
  // Whoever sees the new bound sees its id or a later one, and with an older bound any id is right: that is farther.
  std::atomic_ref(last_ids_[centre]).store(row[held_ - 1].id, std::memory_order_relaxed);
  std::atomic_ref(bounds_[centre]).store(row[held_ - 1].sq_dist, std::memory_order_release);
}

void NearestInBalls::find(std::int64_t query, std::vector<Nearest>& nearest) const {
  const auto centre = static_cast<std::size_t>(centre_of_[static_cast<std::size_t>(query)]);
  const Nearest* const row = found_.data() + static_cast<std::int64_t>(centre) * held_;
  nearest.assign(row, row + counts_[centre]);
  const std::int64_t own = clouds_.left_out(query).own;
  const PeriodicCell& cell = clouds_.placement().scaled_cell;
  const auto k = static_cast<std::size_t>(held_ - 1);
  if (cell.has_all && own >= 0) {
    for (const double sq_dist : clouds_.own_images()) nearest.push_back({sq_dist, own});
    const std::vector<double> of_equal = cell.smallest({}, {}, k);
    for (const std::int32_t other : centres_.ids_of(centre))
      if (other != query)
        for (const double sq_dist : of_equal) nearest.push_back({sq_dist, clouds_.number(other)});
    std::erase_if(nearest, [&](const Nearest& n) { return clouds_.radius().excludes(query, n.id, n.sq_dist); });
    std::ranges::sort(nearest);
  } else {
    std::erase_if(nearest, [&](const Nearest& n) { return n.id == own; });
  }
  if (nearest.size() > k) nearest.resize(k);
}

}  // namespace kann::accuracy
