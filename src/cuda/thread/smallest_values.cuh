// The K smallest of many values, without a branch: sorting networks on the values alone. Networks are written as folds
// over indices, so that every index is a constant and the values stay in registers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "cuda/runtime/names.hpp"
#include "geometry/host_device.hpp"

namespace kann::cuda::thread {

KANN_HOST_DEVICE float smaller(float a, float b) { return fminf(a, b); }
KANN_HOST_DEVICE float larger(float a, float b) { return fmaxf(a, b); }
KANN_HOST_DEVICE std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }
KANN_HOST_DEVICE std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return a < b ? b : a; }

/// The largest value of a type.
template <class T>
inline constexpr T k_largest = std::numeric_limits<T>::max();
template <>
inline constexpr float k_largest<float> = std::numeric_limits<float>::infinity();

/// Puts the smaller of values I and J first.
template <int I, int J, class T, int K>
KANN_HOST_DEVICE void exchange(T (&values)[K]) {
  const T first = smaller(values[I], values[J]);
  values[J] = larger(values[I], values[J]);
  values[I] = first;
}

/// Whether Batcher's odd-even merge of runs of `run` values exchanges i and i + stride in its step of that stride.
KANN_HOST_DEVICE constexpr bool batcher_exchanges(int run, int stride, int i) {
  const int first = stride % run;
  return i >= first && (i - first) / stride % 2 == 0 && i / (2 * run) == (i + stride) / (2 * run);
}

template <int run, int stride, class T, int K, int... i>
KANN_HOST_DEVICE void batcher_step(T (&values)[K], std::integer_sequence<int, i...>) {
  const auto exchange_at = [&]<int at>(std::integral_constant<int, at>) {
    if constexpr (batcher_exchanges(run, stride, at)) exchange<at, at + stride>(values);
  };
  (exchange_at(std::integral_constant<int, i>()), ...);
}

/// Sorts K values ascending, K a power of two: Batcher's odd-even merge sort, 19 exchanges for 8 values.
template <int run = 1, int stride = run, class T, int K>
KANN_HOST_DEVICE void sort(T (&values)[K]) {
  if constexpr (run < K) {
    batcher_step<run, stride>(values, std::make_integer_sequence<int, K - stride>());
    if constexpr (stride > 1) {
      sort<run, stride / 2>(values);
    } else {
      sort<2 * run>(values);
    }
  }
}

/// Sorts a bitonic sequence of K values ascending.
template <int stride, class T, int K, int... i>
KANN_HOST_DEVICE void merge_bitonic(T (&values)[K], std::integer_sequence<int, i...> indices) {
  if constexpr (stride > 0) {
    const auto exchange_at = [&]<int at>(std::integral_constant<int, at>) {
      if constexpr ((at & stride) == 0) exchange<at, at + stride>(values);
    };
    (exchange_at(std::integral_constant<int, i>()), ...);
    merge_bitonic<stride / 2>(values, indices);
  }
}

/// The K smallest of all values offered, ascending. Values come K at a time. They are sorted; their minima with the
/// kept values in reverse order are the K smallest of both, in bitonic order; and a merge sorts these. For K = 8, this
/// takes 9 instructions per value, where inserting them one by one takes 16.
template <int K, class T = float>
class SmallestValues {
 public:
  KANN_HOST_DEVICE SmallestValues() { fill(std::make_integer_sequence<int, K>()); }
  /// Begins with these K values, ascending.
  KANN_HOST_DEVICE explicit SmallestValues(const T (&sorted)[K]) { fill(sorted, std::make_integer_sequence<int, K>()); }

  KANN_HOST_DEVICE void offer(T (&batch)[K]) {
    sort(batch);
    take(batch, std::make_integer_sequence<int, K>());
    merge_bitonic<K / 2>(values_, std::make_integer_sequence<int, K>());
  }

  /// The value at place j, which is a constant wherever speed matters.
  KANN_HOST_DEVICE T operator[](int j) const { return values_[j]; }
  KANN_HOST_DEVICE T last() const { return values_[K - 1]; }
  /// The smallest of all values offered that is not kept.
  KANN_HOST_DEVICE T left_out() const { return left_out_; }

 private:
  template <int... j>
  KANN_HOST_DEVICE void fill(std::integer_sequence<int, j...>) {
    ((values_[j] = k_largest<T>), ...);
  }
  template <int... j>
  KANN_HOST_DEVICE void fill(const T (&sorted)[K], std::integer_sequence<int, j...>) {
    ((values_[j] = sorted[j]), ...);
  }
  template <int... j>
  KANN_HOST_DEVICE void take(const T (&batch)[K], std::integer_sequence<int, j...>) {
    ((left_out_ = smaller(left_out_, larger(values_[j], batch[K - 1 - j]))), ...);
    ((values_[j] = smaller(values_[j], batch[K - 1 - j])), ...);
  }

  T values_[K];
  T left_out_ = k_largest<T>;
};

}  // namespace kann::cuda::thread
