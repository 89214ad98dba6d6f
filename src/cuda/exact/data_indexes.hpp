// Indexes of data that many searches share. They share one order, too: a float32 cloud is searched from float64 queries
// in the order that float32 queries have made.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include "cuda/exact/index.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda::exact {

/// Indexes along the Hilbert curve, each made by the first search that needs it. May be used by several threads.
class DataIndexes {
 public:
  /// `data` is the context of a problem without queries, which no search uses; it must outlive this, as must `mutex`,
  /// which is locked while `data` is used.
  DataIndexes(SearchContext& data, std::mutex& mutex) : data_(data), mutex_(mutex) {}

  /// Blocks until the index is made. If Real is double, the data's coordinates as given must be on the device.
  template <class Real>
  const Index<Real>& along_curve() {
    const std::lock_guard lock(mutex_);
    auto& index = std::get<std::optional<Index<Real>>>(indexes_);
    if (!index) {
      index.emplace(data_, order_);
      order_ = index->order();
      data_.stream.synchronize();  // searches have streams of their own
    }
    return *index;
  }

  /// Whether along_curve() has the index. While the mutex is locked.
  template <class Real>
  bool is_made() const {
    return std::get<std::optional<Index<Real>>>(indexes_).has_value();
  }

 private:
  SearchContext& data_;
  std::mutex& mutex_;
  std::shared_ptr<const CurveOrder> order_;
  std::tuple<std::optional<Index<float>>, std::optional<Index<double>>> indexes_;
};

/// The index along the curve that is kept, or else one that is made in `own`, for this search alone.
template <class Real>
const Index<Real>& index_along_curve(SearchContext& context, DataIndexes* kept, std::optional<Index<Real>>& own) {
  return kept ? kept->along_curve<Real>() : own.emplace(context);
}

}  // namespace kann::cuda::exact
