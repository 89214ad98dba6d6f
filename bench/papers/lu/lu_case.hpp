// One matrix on the device, which is factored again and again, and what its factors are compared with.
#pragma once

#include <limits>

#include "papers/arrays.hpp"
#include "papers/device_timing.hpp"
#include "papers/lu/lu.hpp"
#include "papers/lu/lu_reference.hpp"

namespace kann::bench {

template <class Real>
class LuCase {
 public:
  LuCase(int n, bool pivoting, std::uint64_t seed)
      : n_(n),
        pivoting_(pivoting),
        pool_(stream_),
        host_matrix_(random_matrix<Real>(n, pivoting, seed)),
        matrix_(uploaded(pool_, host_matrix_, stream_)),
        factors_(pool_, matrix_.size()),
        pivots_(pool_, n) {}

  const cuda::Stream& stream() const { return stream_; }
  const std::vector<Real>& host_matrix() const { return host_matrix_; }

  /// Seconds of one factorisation by factor(DeviceMatrix), which queues it, without the copy of the matrix before it.
  template <class F>
  double seconds(F&& factor) {
    wipe(pivots_, stream_);
    cuda::check(cudaMemcpyAsync(factors_.data(), matrix_.data(), host_matrix_.size() * sizeof(Real),
                                cudaMemcpyDeviceToDevice, stream_),
                "copy");
    return device_seconds(stream_, 1, [&] {
      factor(DeviceMatrix<Real>{factors_.data(), pivoting_ ? pivots_.data() : nullptr, n_});
    });
  }

  std::vector<Real> factors() const { return downloaded(factors_, stream_); }

  /// The pivots of the last factorisation, from 0 on, if they were counted from `first`; empty without pivoting.
  std::vector<std::int32_t> pivots(int first) const {
    if (!pivoting_) return {};
    std::vector<std::int32_t> pivots = downloaded(pivots_, stream_);
    for (std::int32_t& pivot : pivots) pivot -= first;
    return pivots;
  }

  /// ‖PA − LU‖ / ‖A‖ of the last factorisation; infinite if a pivot is not a row at or below its own.
  double residual(int first) const {
    const std::vector<std::int32_t> rows = pivots(first);
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (rows[k] < static_cast<std::int32_t>(k) || rows[k] >= n_) return std::numeric_limits<double>::infinity();
    return lu_residual(host_matrix_, factors(), rows, n_);
  }

 private:
  int n_;
  bool pivoting_;
  cuda::Stream stream_;
  cuda::Pool pool_;
  std::vector<Real> host_matrix_;
  cuda::Buffer<Real> matrix_, factors_;
  cuda::Buffer<std::int32_t> pivots_;
};

template <class Real>
constexpr const char* precision_name() {
  return sizeof(Real) == sizeof(float) ? "single" : "double";
}

/// The residual that a right factorisation stays below: n units of rounding. One wrong element of a random matrix is of
/// the order of 1 / n.
template <class Real>
constexpr double max_residual(int n) {
  return n * static_cast<double>(std::numeric_limits<Real>::epsilon());
}

}  // namespace kann::bench
