// The K smallest of many values, without a branch: sorting networks on the values alone. Networks are written as folds
// over indices, so that every index is a constant and the values stay in registers.
#pragma once

#include <cmath>
#include <utility>

#include "geometry/host_device.hpp"

namespace kann::cuda::thread {

/// Puts the smaller of values I and J first.
template <int I, int J, int K>
KANN_HOST_DEVICE void exchange(float (&values)[K]) {
  const float smaller = fminf(values[I], values[J]);
  values[J] = fmaxf(values[I], values[J]);
  values[I] = smaller;
}

/// Whether Batcher's odd-even merge of runs of `run` values exchanges i and i + stride in its step of that stride.
KANN_HOST_DEVICE constexpr bool batcher_exchanges(int run, int stride, int i) {
  const int first = stride % run;
  return i >= first && (i - first) / stride % 2 == 0 && i / (2 * run) == (i + stride) / (2 * run);
}

template <int run, int stride, int K, int... i>
KANN_HOST_DEVICE void batcher_step(float (&values)[K], std::integer_sequence<int, i...>) {
  const auto exchange_at = [&]<int at>(std::integral_constant<int, at>) {
    if constexpr (batcher_exchanges(run, stride, at)) exchange<at, at + stride>(values);
  };
  (exchange_at(std::integral_constant<int, i>()), ...);
}

/// Sorts K values ascending, K a power of two: Batcher's odd-even merge sort, 19 exchanges for 8 values.
template <int K, int run = 1, int stride = run>
KANN_HOST_DEVICE void sort(float (&values)[K]) {
  if constexpr (run < K) {
    batcher_step<run, stride>(values, std::make_integer_sequence<int, K - stride>());
    if constexpr (stride > 1) {
      sort<K, run, stride / 2>(values);
    } else {
      sort<K, 2 * run>(values);
    }
  }
}

/// Sorts a bitonic sequence of K values ascending.
template <int K, int stride = K / 2, int... i>
KANN_HOST_DEVICE void merge_bitonic(float (&values)[K], std::integer_sequence<int, i...> indices) {
  if constexpr (stride > 0) {
    const auto exchange_at = [&]<int at>(std::integral_constant<int, at>) {
      if constexpr ((at & stride) == 0) exchange<at, at + stride>(values);
    };
    (exchange_at(std::integral_constant<int, i>()), ...);
    merge_bitonic<K, stride / 2>(values, indices);
  }
}

/// The K smallest of all values offered, ascending. Values come K at a time: a sort of the K, a minimum with the kept
/// ones in reverse, which leaves the K smallest of both in bitonic order, and a merge; 9 instructions a value for K =
/// 8, where inserting them one by one takes 16.
template <int K>
class SmallestValues {
 public:
  KANN_HOST_DEVICE SmallestValues() { fill(std::make_integer_sequence<int, K>()); }

  KANN_HOST_DEVICE void offer(float (&batch)[K]) {
    sort(batch);
    take(batch, std::make_integer_sequence<int, K>());
    merge_bitonic(values_, std::make_integer_sequence<int, K>());
  }

  /// j is a constant wherever speed matters.
  KANN_HOST_DEVICE float operator[](int j) const { return values_[j]; }
  KANN_HOST_DEVICE float last() const { return values_[K - 1]; }

 private:
  template <int... j>
  KANN_HOST_DEVICE void fill(std::integer_sequence<int, j...>) {
    ((values_[j] = INFINITY), ...);
  }
  template <int... j>
  KANN_HOST_DEVICE void take(const float (&batch)[K], std::integer_sequence<int, j...>) {
    ((values_[j] = fminf(values_[j], batch[K - 1 - j])), ...);
  }

  float values_[K];
};

}  // namespace kann::cuda::thread
