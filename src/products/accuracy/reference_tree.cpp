#include "products/accuracy/reference_tree.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <nanoflann.hpp>
#include <tuple>

#include "base/host_memory.hpp"
#include "products/accuracy/coordinates.hpp"
#include "products/accuracy/search_parameters.hpp"

namespace kann::accuracy {
namespace {

// Seconds to build and query at leaf sizes 5, 10 (the default), 16 and 24 (2²⁰ points and queries, k = 8, two threads):
// uniform in random order 3.04, 2.15, 2.02, 2.21; in Morton order 1.30, 1.22, 1.19, 1.07; a lattice 2.16, 1.60, 1.29,
// 1.28.
constexpr std::size_t k_leaf_size = 16;

// nanoflann skips a branch whose bound exceeds worstDist(), and a point whose own sum does. Both are computed in
// another way than sq_distance(), so worstDist() is above the worst d² by a margin. With u = 2⁻⁵³, the rounding of
// double:
// - Subtraction and squaring are monotonic, rounded or not: along each axis, nanoflann's squared distance to a box is
//   at most the one to any point in it, (1 + u) · e² with e the float64 difference. The rounded sum of e² over the axes
//   is at least (1 − 3u) times the exact sum in sq_distance(), and at most (1 + 5u) times it in nanoflann's sum of a
//   point.
// - The bound of a branch is updated on the way down, bound + cut − old with old ≤ cut ≤ the new bound: an error of at
//   most 3u of the new bound per level, and no bound decreases. So with L levels, bound ≤ (1 + (3L + 9)u) · d² for each
//   point in the branch, and what is skipped is farther than the worst if the margin is at least (3L + 9)u.
// - L < 2¹³: each level halves the side of a box along an axis (3 · 2,099 times at most in the range of double), or the
//   number of its points (32 times).
// So 2⁻³⁸ would do. Where squares are subnormal, each of the three may be rounded up by half of 2⁻¹⁰⁷⁴, hence the sum.
constexpr double k_margin = 1 + 0x1p-36;
constexpr double k_smallest_margin = 0x1p-1070;

/// nanoflann's dataset adaptor.
template <int D>
struct DataSource {
  std::span<const double> coordinates;

  std::size_t kdtree_get_point_count() const { return coordinates.size() / D; }
  double kdtree_get_pt(std::size_t i, std::size_t axis) const { return coordinates[i * D + axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

/// nanoflann's result set: a max-heap of the nearest so far.
template <int D>
class NearestPoints {
 public:
  using DistanceType = double;

  NearestPoints(const DistinctPoints& points, const double* query, const LeftOut& left_out, std::span<Nearest> heap)
      : points_(points), query_(query), left_out_(left_out), heap_(heap) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == heap_.size(); }

  /// nanoflann skips branches and points whose sums are at least this.
  double worstDist() const { return skipped_from_; }

  /// Returns whether the search continues.
  template <class Position>
  bool addPoint(double /*by its own sum*/, Position point) {
    Nearest candidate{sq_distance<D>(query_, &points_.coordinates[static_cast<std::size_t>(point) * D])};
    for (const std::int32_t id : points_.ids_of(point)) {
      candidate.id = id;
      if (left_out_.has(id)) continue;
      if (!full()) {
        heap_[size_++] = candidate;
      } else {
        if (heap_[0] <= candidate) break;  // the following ids are greater
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.back() = candidate;
      }
      std::push_heap(heap_.begin(), heap_.begin() + static_cast<std::ptrdiff_t>(size_));
    }
    if (full()) skipped_from_ = heap_[0].sq_dist * k_margin + k_smallest_margin;
    return true;
  }

  /// nanoflann calls this a second time from version 1.6 on.
  void sort() { std::sort(heap_.begin(), heap_.begin() + static_cast<std::ptrdiff_t>(size_)); }

 private:
  const DistinctPoints& points_;
  const double* query_;
  const LeftOut& left_out_;
  std::span<Nearest> heap_;
  std::size_t size_ = 0;
  double skipped_from_ = std::numeric_limits<double>::infinity();
};

/// The smallest d² that a point within `extent` can have from `position`; 0 inside.
double gap(const Extent& extent, const double* position, int dimensions) {
  std::array<double, 3> nearest{};
  for (int a = 0; a < dimensions; ++a) nearest[a] = std::clamp(position[a], extent.lo[a], extent.hi[a]);
  return sq_distance(position, nearest.data(), dimensions);
}

/// Keeps the `count` nearest, ascending; each id once, with its smallest d², unless all count.
void keep_nearest(std::size_t count, bool has_all, std::vector<Nearest>& nearest) {
  if (!has_all) {
    std::sort(nearest.begin(), nearest.end(),
              [](const Nearest& a, const Nearest& b) { return std::tie(a.id, a.sq_dist) < std::tie(b.id, b.sq_dist); });
    const auto same = [](const Nearest& a, const Nearest& b) { return a.id == b.id; };
    nearest.erase(std::unique(nearest.begin(), nearest.end(), same), nearest.end());
  }
  std::sort(nearest.begin(), nearest.end());
  nearest.resize(std::min(count, nearest.size()));
}

DistinctPoints points_of(const JudgedClouds& clouds, int threads) {
  // Bytes per point: 8 per coordinate; 8 for the ids and for where those of a distinct point begin; 4 and 24 for
  // nanoflann's order and nodes, which are allocated after the order by cell is freed.
  const std::int64_t count = clouds.rows().data.size();
  const double bytes_each = 8.0 * clouds.data().dimensions() + 8 + 4 + 24;
  base::check_host_memory(static_cast<double>(count) * bytes_each, "the exact reference");
  const Placement& placement = clouds.placement();
  return distinct_points(clouds.data(), count, placement.facts.data.scaled(placement.scale), threads);
}

}  // namespace

struct ReferenceTree::Index {
  virtual ~Index() = default;

  /// Fills `nearest`, as far as there are so many points that are not left out.
  virtual void find(const double* query, const LeftOut& left_out, std::vector<Nearest>& nearest) const = 0;
};

namespace {

template <int D>
class KdTree final : public ReferenceTree::Index {
 public:
  explicit KdTree(const DistinctPoints& points)
      : points_(points),
        source_{points.coordinates},
        tree_(D, source_, nanoflann::KDTreeSingleIndexAdaptorParams(k_leaf_size)) {}

  void find(const double* query, const LeftOut& left_out, std::vector<Nearest>& nearest) const override {
    if (nearest.empty()) return;
    NearestPoints<D> found(points_, query, left_out, nearest);
    tree_.findNeighbors(found, query, SearchParameters());
    found.sort();
    nearest.resize(found.size());
  }

 private:
  using Metric = nanoflann::L2_Simple_Adaptor<double, DataSource<D>, double>;

  const DistinctPoints& points_;
  DataSource<D> source_;
  nanoflann::KDTreeSingleIndexAdaptor<Metric, DataSource<D>, D, std::uint32_t> tree_;
};

}  // namespace

ReferenceTree::ReferenceTree(const JudgedClouds& clouds, int threads)
    : clouds_(clouds), points_(points_of(clouds, threads)) {
  if (clouds.data().dimensions() == 2)
    index_ = std::make_unique<KdTree<2>>(points_);
  else
    index_ = std::make_unique<KdTree<3>>(points_);
}
ReferenceTree::~ReferenceTree() = default;

void ReferenceTree::find(std::int64_t query, std::vector<Nearest>& nearest) const {
  const std::array<double, 3> point = clouds_.queries()[query];
  const LeftOut of_clouds = clouds_.left_out(query);
  LeftOut left_out = of_clouds;
  if (left_out.own >= 0) left_out.own = clouds_.place_of(left_out.own);
  nearest.resize(static_cast<std::size_t>(std::min(clouds_.rows().rows.k, clouds_.available(query))));
  if (!clouds_.placement().cell.any())
    index_->find(point.data(), left_out, nearest);
  else
    find_in_box(point, left_out, of_clouds.own, nearest);
  std::erase_if(nearest, [&](const Nearest& n) { return clouds_.radius().excludes(query, n.id, n.sq_dist); });
  if (!clouds_.placement().cell.has_all) put_numbers(nearest);
}

/// Turns places into row numbers in the whole data.
void ReferenceTree::put_numbers(std::span<Nearest> nearest) const {
  const std::span<const std::int64_t> rows = clouds_.rows().data_rows;
  if (!rows.empty())
    for (Nearest& n : nearest) n.id = rows[static_cast<std::size_t>(n.id)];
}

/// Merges the nearest points to each image of the query. Where all images count, these have row numbers.
/// @param own the row number of the query, as LeftOut has it
void ReferenceTree::find_in_box(const std::array<double, 3>& query, const LeftOut& left_out, std::int64_t own,
                                std::vector<Nearest>& nearest) const {
  const Placement& placement = clouds_.placement();
  const PeriodicCell& cell = placement.scaled_cell;
  const Extent extent = placement.facts.data.scaled(placement.scale);
  const std::size_t count = nearest.size();
  nearest.clear();
  if (count == 0) return;
  // The query itself comes first: its neighbours limit how far images need to be searched.
  std::vector<Nearest> by_image(count);
  index_->find(query.data(), left_out, by_image);
  const bool has_own = own >= 0 && !left_out.has_group_of(own);
  if (by_image.empty() && !has_own) return;
  double sq_radius = by_image.empty() ? 0 : by_image.back().sq_dist;
  if (cell.has_all) sq_radius = std::min(sq_radius, cell.nearest_within() * cell.nearest_within());
  const auto find = [&] {
    nearest.clear();
    std::size_t ordered = 0;  // the first of them, which are the nearest so far
    for_each_image(query, cell, extent.lo, extent.hi, sq_radius, [&](const Vector& image) {
      const bool is_full = ordered == count;
      if (is_full && gap(extent, image.data(), clouds_.data().dimensions()) > nearest[count - 1].sq_dist) return;
      by_image.resize(count);
      index_->find(image.data(), left_out, by_image);
      if (cell.has_all) put_numbers(by_image);
      nearest.insert(nearest.end(), by_image.begin(), by_image.end());
      if (nearest.size() < (is_full ? 2 * count : count)) return;
      keep_nearest(count, cell.has_all, nearest);
      ordered = nearest.size();
    });
    if (has_own && cell.has_all)
      for (const double sq_dist : clouds_.own_images()) nearest.push_back({sq_dist, own});
    keep_nearest(count, cell.has_all, nearest);
  };
  find();
  if (!cell.has_all) return;
  // Images of the points fill the row, if need be a little farther away each time
  const double step = std::sqrt(cell.smallest({}, {}, 2)[1]) / 2;
  for (;; find()) {
    while (!nearest.empty() && nearest.back().sq_dist > sq_radius) nearest.pop_back();
    if (nearest.size() == count) return;
    const double radius = 1.5 * std::sqrt(sq_radius) + step;
    sq_radius = radius * radius;
  }
}

}  // namespace kann::accuracy
