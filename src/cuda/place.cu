#include "cuda/launch.cuh"
#include "cuda/place.hpp"
#include "geometry/fine_order.hpp"

namespace kann::cuda {
namespace {

// A run of equal prefixes up to this long is put in order here.
constexpr int k_short_run = 32;

template <int D>
__device__ __forceinline__ void place_point(const PointSource& source, std::uint32_t from, PlacedPoint& placed) {
  PlacedPoint p = point_at<D>(source, from);
  p.index = from;
  placed = p;
}

/// What orders a point in a shift.
template <int D>
struct Ranked {
  std::uint64_t full_key;
  PlacedPoint point;
  bool finely;  // points of one cell are in the order of their coordinates before that of their index

  __device__ bool operator<(const Ranked& other) const {
    if (full_key != other.full_key) return full_key < other.full_key;
    if (finely) {
      if (comes_finely_before<D>(&point.x, &other.point.x)) return true;
      if (comes_finely_before<D>(&other.point.x, &point.x)) return false;
    }
    return point.index < other.point.index;
  }
};

/// Sorted packed keys, seen as runs of equal prefixes, and where their points go.
template <int D>
struct Placer {
  const std::uint64_t* d_keys;
  std::int64_t count;
  int payload_bits;
  Shift shift;
  PointSource source;
  PlacedPoint* d_placed;

  __device__ std::uint64_t prefix(std::int64_t i) const { return d_keys[i] >> payload_bits; }
  __device__ std::uint32_t payload(std::int64_t i) const {
    return static_cast<std::uint32_t>(d_keys[i] & ((std::uint64_t{1} << payload_bits) - 1));
  }
  __device__ bool same(std::int64_t i, std::int64_t j) const { return j >= 0 && j < count && prefix(j) == prefix(i); }

  /// How many keys after i (step 1) or before it (step −1) have its prefix, counted up to k_short_run.
  __device__ int run_beside(std::int64_t i, int step) const {
    int found = 0;
    while (found < k_short_run && same(i, i + step * (found + 1))) ++found;
    return found;
  }

  __device__ Ranked<D> ranked(std::int64_t i) const {
    const PlacedPoint p = point_at<D>(source, payload(i));
    return {full_key<D>(p, source.grid, shift), p, is_fine(shift)};
  }

  __device__ void place(std::int64_t i, std::int64_t at) const { place_point<D>(source, payload(i), d_placed[at]); }
};

/// One thread a key. In a short run of equal prefixes, each counts those of the run that come before its own.
template <int D>
__global__ void place_packed_kernel(Placer<D> placer, bool settled, std::uint32_t* d_unsettled) {
  for (std::int64_t i = first_element(); i < placer.count; i += element_stride()) {
    std::int64_t at = i;
    const bool goes_on = !settled && placer.same(i, i - 1), leads_on = !settled && placer.same(i, i + 1);
    if (goes_on || leads_on) {
      const int before = goes_on ? placer.run_beside(i, -1) : 0, after = leads_on ? placer.run_beside(i, 1) : 0;
      const Ranked<D> mine = placer.ranked(i);
      if (before + after < k_short_run) {
        at = i - before;
        for (int j = -before; j <= after; ++j) at += j != 0 && placer.ranked(i + j) < mine;
      } else if (leads_on && placer.ranked(i + 1) < mine) {
        *d_unsettled = 1;
      }
    }
    placer.place(i, at);
  }
}

template <int D>
__global__ void place_indices_kernel(const std::uint32_t* d_indices, std::int64_t count, PointSource source,
                                     PlacedPoint* d_placed) {
  for (std::int64_t i = first_element(); i < count; i += element_stride())
    place_point<D>(source, d_indices[i], d_placed[i]);
}

// As many points of a cell may be in any order.
constexpr std::int64_t k_few_of_a_cell = 32;

template <int D>
__global__ void check_cells_kernel(const std::uint64_t* d_keys, std::int64_t count, const PlacedPoint* d_placed,
                                   std::uint32_t* d_unsettled) {
  for (std::int64_t i = k_few_of_a_cell + first_element(); i < count; i += element_stride())
    if (d_keys[i] == d_keys[i - k_few_of_a_cell] && comes_finely_before<D>(&d_placed[i].x, &d_placed[i - 1].x))
      *d_unsettled = 1;
}

template <int D>
void launch_packed(const Placer<D>& placer, bool settled, std::uint32_t* d_unsettled, cudaStream_t stream) {
  place_packed_kernel<<<blocks_for(placer.count), k_block_threads, 0, stream>>>(placer, settled, d_unsettled);
  check_launch("place_packed");
}

}  // namespace

void place_packed(const std::uint64_t* d_keys, std::int64_t count, const Shift& shift, const KeyLayout& layout,
                  const PointSource& source, PlacedPoint* d_placed, std::uint32_t* d_unsettled, cudaStream_t stream) {
  if (count == 0) return;
  const bool settled = layout.rest_bits == 0;
  if (shift.dimensions == 3) {
    launch_packed(Placer<3>{d_keys, count, layout.payload_bits, shift, source, d_placed}, settled, d_unsettled, stream);
  } else {
    launch_packed(Placer<2>{d_keys, count, layout.payload_bits, shift, source, d_placed}, settled, d_unsettled, stream);
  }
}

void place_indices(const std::uint32_t* d_indices, std::int64_t count, int dimensions, const PointSource& source,
                   PlacedPoint* d_placed, cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel = dimensions == 3 ? place_indices_kernel<3> : place_indices_kernel<2>;
  kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(d_indices, count, source, d_placed);
  check_launch("place_indices");
}

void check_cells(const std::uint64_t* d_keys, std::int64_t count, int dimensions, const PlacedPoint* d_placed,
                 std::uint32_t* d_unsettled, cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel = dimensions == 3 ? check_cells_kernel<3> : check_cells_kernel<2>;
  kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(d_keys, count, d_placed, d_unsettled);
  check_launch("check_cells");
}

}  // namespace kann::cuda
