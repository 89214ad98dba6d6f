#include "products/accuracy/nearest_in_balls.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "base/threads/parallel.hpp"
#include "products/accuracy/reference_tree.hpp"

namespace kann::accuracy {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

}  // namespace

NearestInBalls::NearestInBalls(const JudgedClouds& clouds, int threads)
    : clouds_(clouds),
      threads_(threads),
      held_(clouds.rows().rows.k + 1),
      centres_(distinct_points(clouds.queries(), clouds.rows().queries.size(),
                               clouds.placement().facts.queries.scaled(clouds.placement().scale), threads)),
      centre_of_(static_cast<std::size_t>(clouds.rows().queries.size())),
      bounds_(static_cast<std::size_t>(centres_.size()), k_infinity),
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

/// Any k points that can be neighbours bound the k-th distance. A row that does not name so many is wrong, or there is
/// a radius, or there are not so many: then those that other rows name may be near, too.
void NearestInBalls::set_bounds() {
  const JudgedRows& rows = clouds_.rows();
  const Placement& placement = clouds_.placement();
  const double radius = placement.radius ? *placement.radius * placement.scale : k_infinity;
  const double widest = placement.radius ? radius * radius * (1 + 0x1p-40) + 0x1p-1000 : k_infinity;
  std::optional<ReferenceTree> of_all_named;
  const auto lower = [&](bool by_others) {
    std::atomic<bool> are_all_bounded = true;
    base::parallel_chunks(std::ssize(bounds_), 64, threads_, [&](std::int64_t begin, std::int64_t end) {
      JudgedRow row;
      std::vector<Nearest> nearest;
      for (auto centre = static_cast<std::size_t>(begin); centre < static_cast<std::size_t>(end); ++centre) {
        double& bound = bounds_[centre];
        if (by_others && bound < k_infinity) continue;
        for (const std::int64_t query : centres_.ids_of(centre)) {
          clouds_.describe(query, rows.rows, row);
          const std::int64_t most = std::min(rows.rows.k, row.available);
          if (by_others)
            of_all_named->find(query, nearest);
          else
            find_nearest_of(row.named, most, nearest);
          const bool is_full = std::ssize(nearest) == most;
          bound = std::min(bound, !is_full ? widest : most > 0 ? nearest.back().sq_dist : -1);
        }
        if (bound == k_infinity) are_all_bounded = false;
      }
    });
    return are_all_bounded.load();
  };
  if (lower(false)) return;
  of_all_named.emplace(clouds_, threads_);
  lower(true);
}

void NearestInBalls::enter_balls() {
  const double side = width(extent_, clouds_.data().dimensions());
  if (side > 0) cells_per_length_ = std::ldexp(1.0, std::min(29 - std::ilogb(side), 1000));
  begins_.assign(std::bit_ceil(8 * bounds_.size() + 1) + 1, 0);
  std::uint64_t occurring = 0;
  for (std::size_t centre = 0; centre < bounds_.size(); ++centre)
    for_each_cell(centre, [&](const Cell& cell, int level) {
      ++begins_[bucket_of(cell, level)];
      occurring |= std::uint64_t{1} << level;
    });
  for (int level = 0; occurring >> level; ++level)
    if (occurring >> level & 1) levels_.push_back(level);
  std::int64_t sum = 0;
  for (std::int64_t& begin : begins_) begin = sum += begin;
  entered_.resize(static_cast<std::size_t>(sum));
  for (std::size_t centre = 0; centre < bounds_.size(); ++centre)
    for_each_cell(centre, [&](const Cell& cell, int level) {
      entered_[static_cast<std::size_t>(--begins_[bucket_of(cell, level)])] = static_cast<std::int32_t>(centre);
    });
}

/// Calls f(cell, level) for the cells of the box around that part of a ball, and of its images, which is in the box of
/// the data. If the centre is outside, by g, the ball is no wider there than √(r² − g²).
template <class F>
void NearestInBalls::for_each_cell(std::size_t centre, F&& f) const {
  // The margins are above the roundings of d², and of the smallest squares.
  const double sq_radius = bounds_[centre] * (1 + 0x1p-40) + 0x1p-1000;
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
    const int level = std::bit_width(std::max({last[0] - first[0], last[1] - first[1], last[2] - first[2]}));
    for (std::uint32_t x = first[0] >> level; x <= last[0] >> level; ++x)
      for (std::uint32_t y = first[1] >> level; y <= last[1] >> level; ++y)
        for (std::uint32_t z = first[2] >> level; z <= last[2] >> level; ++z) f(Cell{x, y, z}, level);
  };
  for_each_image(clouds_.queries()[centres_.ids_of(centre)[0]], clouds_.placement().scaled_sides, enter);
}

NearestInBalls::Cell NearestInBalls::cell_of(const std::array<double, 3>& point) const {
  Cell cell{};
  for (int a = 0; a < clouds_.data().dimensions(); ++a)
    cell[a] = static_cast<std::uint32_t>((point[a] - extent_.lo[a]) * cells_per_length_);
  return cell;
}

std::size_t NearestInBalls::bucket_of(const Cell& cell, int level) const {
  std::uint64_t mixed = cell[0] * 0x9e3779b97f4a7c15 ^ cell[1] * 0xc2b2ae3d27d4eb4f ^ cell[2] * 0x165667b19e3779f9;
  mixed = (mixed ^ mixed >> 32 ^ static_cast<std::uint64_t>(level)) * 0xd6e8feb86659fd93;
  return (mixed >> 24) & (begins_.size() - 2);
}

void NearestInBalls::add(std::int64_t first, const PointsView& block) {
  const Placement& placement = clouds_.placement();
  const Coordinates& queries = clouds_.queries();
  base::parallel_chunks(block.size(), 1 << 12, threads_, [&](std::int64_t begin, std::int64_t end) {
    const PlacedPoints placed = placement.place(block.part(begin, end), PlacedPoints::Role::data);
    const Coordinates points(placed, placement.scale);
    const Radius radius = clouds_.radius().among(placed);
    for (std::int64_t i = 0; i < end - begin; ++i) {
      if (!points.is_finite(i)) continue;
      const std::array<double, 3> point = points[i];
      const Cell finest = cell_of(point);
      for (const int level : levels_) {
        const std::size_t bucket = bucket_of({finest[0] >> level, finest[1] >> level, finest[2] >> level}, level);
        for (auto entry = begins_[bucket]; entry < begins_[bucket + 1]; ++entry) {
          const auto centre = static_cast<std::size_t>(entered_[static_cast<std::size_t>(entry)]);
          const std::int64_t query = centres_.ids_of(centre)[0];
          const Nearest found{
              sq_distance_in(queries[query].data(), point.data(), placement.scaled_sides, points.dimensions()),
              first + begin + i};
          if (found.sq_dist <= bounds_[centre] && !radius.excludes(query, i)) add_found(centre, found);
        }
      }
    }
  });
}

void NearestInBalls::add_found(std::size_t centre, const Nearest& found) {
  std::atomic_ref last_id(last_ids_[centre]);
  if (found.sq_dist == bounds_[centre] && found.id >= last_id.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(guards_[centre % guards_.size()]);
  std::int64_t& count = counts_[centre];
  Nearest* const row = found_.data() + static_cast<std::int64_t>(centre) * held_;
  Nearest* const place = std::lower_bound(row, row + count, found);
  if (place < row + count && *place == found) return;  // another image of the ball, or a shared bucket
  if (place == row + held_) return;
  count = std::min(count + 1, held_);
  std::move_backward(place, row + count - 1, row + count);
  *place = found;
  if (count < held_) return;
  const Nearest& last = row[held_ - 1];
  last_id.store(last.sq_dist < bounds_[centre] ? 0 : last.id, std::memory_order_relaxed);
}

void NearestInBalls::find(std::int64_t query, std::vector<Nearest>& nearest) const {
  const auto centre = static_cast<std::size_t>(centre_of_[static_cast<std::size_t>(query)]);
  const Nearest* const row = found_.data() + static_cast<std::int64_t>(centre) * held_;
  nearest.assign(row, row + counts_[centre]);
  const std::int64_t own = clouds_.left_out(query).own;
  std::erase_if(nearest, [&](const Nearest& n) { return n.id == own; });
  if (std::ssize(nearest) == held_) nearest.pop_back();
}

}  // namespace kann::accuracy
