// Indexes of data that many searches share. They share one order, too: a float32 cloud is searched from float64 queries
// in the order that float32 queries have made.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include "cuda/exact/groups.hpp"
#include "cuda/exact/index.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/mark.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda::exact {

/// Indexes along the Hilbert curve, in each group if there are some. Each is made by the first search that needs it.
/// May be used by several threads.
class DataIndexes {
 public:
  /// `data` is the context of a problem without queries, which no search uses; it must outlive this, as must `mutex`,
  /// which is locked while `data` is used.
  DataIndexes(SearchContext& data, std::mutex& mutex, const std::optional<PointGroups>& groups = {})
      : data_(data), mutex_(mutex), groups_(groups) {}

  const std::optional<PointGroups>& groups() const { return groups_; }

  /// Blocks until it is known how the data are to be ordered; the index precedes what is queued on `search` afterwards.
  /// If Real is double, the data's coordinates as given must be on the device.
  template <class Real>
  const Index<Real>& along_curve(cudaStream_t search) {
    const std::lock_guard lock(mutex_);
    auto& index = std::get<std::optional<Index<Real>>>(indexes_);
    if (!index) {
      index.emplace(data_, order_ || !groups_ ? order_ : order_in_groups(data_, *groups_));
      order_ = index->order();
      check(made_.set(data_.stream), "index of the data");
      is_waited_for_ = false;
    }
    if (!is_waited_for_) check(made_.precede(search), "index of the data");
    return *index;
  }

  /// Returns whether there is an index, and blocks until it is made. While the mutex is locked.
  template <class Real>
  bool wait() {
    if (!std::get<std::optional<Index<Real>>>(indexes_)) return false;
    // In other modes, a thread whose stream is recorded into a graph must not wait
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    check(cudaThreadExchangeStreamCaptureMode(&mode), "index of the data");
    const cudaError_t status = made_.wait();
    check(cudaThreadExchangeStreamCaptureMode(&mode), "index of the data");
    check(status, "index of the data");
    is_waited_for_ = true;
    return true;
  }

 private:
  SearchContext& data_;
  std::mutex& mutex_;
  const std::optional<PointGroups> groups_;
  Mark made_;
  bool is_waited_for_ = false;
  std::shared_ptr<const CurveOrder> order_;
  std::tuple<std::optional<Index<float>>, std::optional<Index<double>>> indexes_;
};

/// The index along the curve that is kept, or else one that is made in `own`, for this search alone.
template <class Real>
const Index<Real>& index_along_curve(SearchContext& context, DataIndexes* kept, std::optional<Index<Real>>& own) {
  return kept ? kept->along_curve<Real>(context.stream) : own.emplace(context);
}

}  // namespace kann::cuda::exact
