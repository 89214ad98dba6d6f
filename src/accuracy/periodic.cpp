#include "accuracy/periodic.hpp"

#include <algorithm>
#include <limits>
#include <nanoflann.hpp>

#include "accuracy/search_parameters.hpp"

namespace kann::accuracy {

Sides Sides::scaled(double factor) const {
  // A side that overflows is longer than any difference, whose remainder is itself.
  Sides out;
  for (int a = 0; a < 3; ++a) out.length[a] = length[a] > 0 ? length[a] * factor : 0;
  return out;
}

double sq_distance(const double* query, const double* point, const Sides& sides, int dimensions) {
  double sum = 0;
  for (int a = 0; a < dimensions; ++a) {
    const double x = sides.component(query[a] - point[a], a);
    sum = a == 0 ? x * x : std::fma(x, x, sum);
  }
  return sum;
}

struct PeriodicTree::Index {
  virtual ~Index() = default;
  virtual void nearest(const double* query, std::int64_t left_out, std::vector<Nearest>& nearest) const = 0;
};

namespace {

template <int D>
struct DataSource {
  Array<double> coordinates;

  std::size_t kdtree_get_point_count() const { return coordinates.size() / D; }
  double kdtree_get_pt(std::size_t i, std::size_t axis) const { return coordinates[i * D + axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

/// nanoflann's result set for all images of a query, one after the other: a max-heap of the nearest so far, by the
/// definition. What lies farther than its worst by more than `slack` is skipped: by so much the distance from an image
/// may be longer than the definition says.
class NearestImages {
 public:
  using DistanceType = double;

  NearestImages(const Coordinates& data, const Array<std::int32_t>& ids, const Sides& sides, const double* query,
                std::int64_t left_out, std::vector<Nearest>& heap)
      : data_(data), ids_(ids), sides_(sides), query_(query), left_out_(left_out), heap_(heap) {}

  void begin_image(double slack) {
    slack_ = slack;
    update();
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == heap_.size(); }
  double worstDist() const { return skipped_from_; }

  template <class Position>
  bool addPoint(double /*from the image*/, Position position) {
    const std::int32_t id = ids_[position];
    if (id == left_out_) return true;
    const Nearest candidate{sq_distance(query_, data_[id].data(), sides_, data_.dimensions()), id};
    if (full() && heap_[0] <= candidate) return true;
    const auto end = heap_.begin() + static_cast<std::ptrdiff_t>(size_);
    if (std::find(heap_.begin(), end, candidate) != end) return true;  // by another image
    if (full())
      std::pop_heap(heap_.begin(), heap_.end());
    else
      ++size_;
    heap_[size_ - 1] = candidate;
    std::push_heap(heap_.begin(), heap_.begin() + static_cast<std::ptrdiff_t>(size_));
    update();
    return true;
  }

  /// Called by nanoflann after each search: the heap stays one for the next image.
  void sort() {}

 private:
  /// The margin of reference_tree.cpp, beside the slack.
  void update() {
    if (!full()) return;
    const double from = std::sqrt(heap_[0].sq_dist) * (1 + 0x1p-40) + slack_;
    skipped_from_ = from * from * (1 + 0x1p-36) + 0x1p-1060;
  }

  const Coordinates& data_;
  const Array<std::int32_t>& ids_;
  const Sides& sides_;
  const double* query_;
  std::int64_t left_out_;
  std::vector<Nearest>& heap_;
  std::size_t size_ = 0;
  double slack_ = 0, skipped_from_ = std::numeric_limits<double>::infinity();
};

/// Points are at remainder(x − middle, L), within half a side of 0, rounded. Along an axis, a distance between a point
/// and an image, and that of the definition, differ by a few roundings of the numbers that occur.
template <int D>
class ImageTree final : public PeriodicTree::Index {
 public:
  ImageTree(const Coordinates& data, std::int64_t count, const Extent& extent, const Sides& sides)
      : data_(data), sides_(sides) {
    for (int a = 0; a < D; ++a) {
      middle_[a] = extent.lo[a] <= extent.hi[a] ? extent.lo[a] / 2 + extent.hi[a] / 2 : 0;
      largest_[a] = std::max(std::abs(extent.lo[a]), std::abs(extent.hi[a]));
    }
    for (std::int64_t i = 0; i < count; ++i) {
      if (!data.is_finite(i)) continue;
      ids_.push_back(static_cast<std::int32_t>(i));
      for (int a = 0; a < D; ++a) source_.coordinates.push_back(place(data.at(i, a), a));
    }
    tree_ = std::make_unique<Tree>(D, source_, nanoflann::KDTreeSingleIndexAdaptorParams(16));
  }

  void nearest(const double* query, std::int64_t left_out, std::vector<Nearest>& nearest) const override {
    NearestImages found(data_, ids_, sides_, query, left_out, nearest);
    std::array<double, D> at;
    for (int a = 0; a < D; ++a) at[a] = place(query[a], a);
    // The image that is where the points are comes first: it limits the others.
    constexpr int steps[] = {0, -1, 1};
    for (const int x : steps)
      for (const int y : steps)
        for (const int z : steps)
          if (D == 3 || z == 0) search(found, query, at, {x, y, z});
    std::sort(nearest.begin(), nearest.end());
  }

 private:
  using Metric = nanoflann::L2_Simple_Adaptor<double, DataSource<D>, double>;
  using Tree = nanoflann::KDTreeSingleIndexAdaptor<Metric, DataSource<D>, D, std::uint32_t>;

  double place(double x, int axis) const { return sides_.component(x - middle_[axis], axis); }

  void search(NearestImages& found, const double* query, const std::array<double, D>& at,
              const std::array<int, 3>& step) const {
    std::array<double, D> image = at;
    double slack = 0;
    for (int a = 0; a < D; ++a) {
      const double side = sides_.length[a];
      if (step[a] != 0 && !(side > 0 && side < std::numeric_limits<double>::infinity())) return;
      if (step[a] != 0) image[a] += step[a] * side;
      slack += 0x1p-50 * (std::abs(query[a]) + std::abs(middle_[a]) + largest_[a] + std::abs(image[a]));
    }
    found.begin_image(slack);
    tree_->findNeighbors(found, image.data(), SearchParameters());
  }

  const Coordinates& data_;
  Sides sides_;
  std::array<double, D> middle_{}, largest_{};
  Array<std::int32_t> ids_;
  DataSource<D> source_;
  std::unique_ptr<Tree> tree_;
};

}  // namespace

PeriodicTree::PeriodicTree(const Coordinates& data, std::int64_t count, const Extent& extent, const Sides& sides) {
  if (data.dimensions() == 2)
    index_ = std::make_unique<ImageTree<2>>(data, count, extent, sides);
  else
    index_ = std::make_unique<ImageTree<3>>(data, count, extent, sides);
}
PeriodicTree::~PeriodicTree() = default;

void PeriodicTree::nearest(const double* query, std::int64_t left_out, std::vector<Nearest>& nearest) const {
  if (!nearest.empty()) index_->nearest(query, left_out, nearest);
}

}  // namespace kann::accuracy
