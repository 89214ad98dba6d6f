#include "accuracy/reference_tree.hpp"

#include <algorithm>
#include <limits>
#include <nanoflann.hpp>

#include "accuracy/search_parameters.hpp"

namespace kann::accuracy {
namespace {

// Seconds to build and query at leaf sizes 5, 10 (the default), 16 and 24 (2²⁰ points and queries, k = 8, two threads):
// uniform in random order 3.04, 2.15, 2.02, 2.21; in Morton order 1.30, 1.22, 1.19, 1.07; a lattice 2.16, 1.60, 1.29,
// 1.28.
constexpr std::size_t k_leaf_size = 16;

/// nanoflann's dataset adaptor.
template <int D>
struct DataSource {
  std::span<const double> coordinates;
  std::span<const std::uint32_t> rows;

  std::size_t row(std::size_t i) const { return rows.empty() ? i : rows[i]; }

  std::size_t kdtree_get_point_count() const { return rows.empty() ? coordinates.size() / D : rows.size(); }
  double kdtree_get_pt(std::size_t i, std::size_t axis) const { return coordinates[row(i) * D + axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

/// nanoflann's result set: a max-heap of the smallest squared distances so far.
template <int D>
class NearestDistances {
 public:
  using DistanceType = double;

  NearestDistances(const DataSource<D>& source, std::int64_t left_out, std::span<double> heap)
      : source_(source), left_out_(left_out), heap_(heap) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == heap_.size(); }

  /// A branch is visited up to this distance. Only distances are needed, so points as far as the worst are skipped, by
  /// a margin far above the rounding of nanoflann's sums and far below that of float32. Without it, each of 100,000
  /// queries into 100,000 equal points visits all of them (48 s; with it, 0.01 s).
  double worstDist() const {
    if (!full()) return std::numeric_limits<double>::infinity();
    return heap_[0] > 0 ? heap_[0] * (1 - 1e-12) : -1;
  }

  /// Returns whether the search continues.
  template <class Position>
  bool addPoint(double sq_dist, Position position) {
    if (static_cast<std::int64_t>(source_.row(position)) == left_out_) return true;
    if (!full()) {
      heap_[size_++] = sq_dist;
    } else {
      if (sq_dist >= heap_[0]) return true;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = sq_dist;
    }
    std::push_heap(heap_.begin(), heap_.begin() + static_cast<std::ptrdiff_t>(size_));
    return true;
  }

  /// Called a second time by nanoflann from version 1.6 on.
  void sort() { std::sort(heap_.begin(), heap_.begin() + static_cast<std::ptrdiff_t>(size_)); }

 private:
  const DataSource<D>& source_;
  std::int64_t left_out_;
  std::span<double> heap_;
  std::size_t size_ = 0;
};

}  // namespace

struct ReferenceTree::Index {
  virtual ~Index() = default;
  virtual void nearest(const double* query, std::int64_t left_out, std::span<double> sq_distances) const = 0;
};

namespace {

template <int D>
class KdTree final : public ReferenceTree::Index {
 public:
  KdTree(std::span<const double> coordinates, std::span<const std::uint32_t> rows)
      : source_{coordinates, rows}, tree_(D, source_, nanoflann::KDTreeSingleIndexAdaptorParams(k_leaf_size)) {}

  void nearest(const double* query, std::int64_t left_out, std::span<double> sq_distances) const override {
    NearestDistances<D> nearest(source_, left_out, sq_distances);
    tree_.findNeighbors(nearest, query, SearchParameters());
    nearest.sort();
  }

 private:
  // The adaptor computes in the type of its data source: a float source would round every difference.
  using Metric = nanoflann::L2_Simple_Adaptor<double, DataSource<D>, double>;

  DataSource<D> source_;
  nanoflann::KDTreeSingleIndexAdaptor<Metric, DataSource<D>, D, std::uint32_t> tree_;
};

}  // namespace

ReferenceTree::ReferenceTree(std::span<const double> coordinates, int dimensions, std::span<const std::uint32_t> rows) {
  if (dimensions == 2)
    index_ = std::make_unique<KdTree<2>>(coordinates, rows);
  else
    index_ = std::make_unique<KdTree<3>>(coordinates, rows);
}
ReferenceTree::~ReferenceTree() = default;

void ReferenceTree::nearest(const double* query, std::int64_t left_out, std::span<double> sq_distances) const {
  if (!sq_distances.empty()) index_->nearest(query, left_out, sq_distances);
}

}  // namespace kann::accuracy
