// A group of neighbourhoods of the same shape, one per lane of a vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "cpu/interpolation/lane_weights.hpp"
#include "geometry/interpolation/rbf_input.hpp"
#include "geometry/interpolation/shape.hpp"

namespace kann::cpu {

/// Numbers aligned for vectors.
class AlignedDoubles {
 public:
  explicit AlignedDoubles(std::size_t count)
      : values_(static_cast<double*>(::operator new(count * sizeof(double), k_alignment))) {}
  double* data() const { return values_.get(); }

 private:
  static constexpr std::align_val_t k_alignment{64};
  struct Free {
    void operator()(double* p) const { ::operator delete(p, k_alignment); }
  };
  std::unique_ptr<double[], Free> values_;
};

/// One query and the data points that its value comes from.
struct Neighborhood {
  std::int64_t query = 0;
  const std::int32_t* ids = nullptr;
};

/// Memory that serves one group after the other; a neighbourhood has at most `max_points` points.
class LaneGroup {
 public:
  LaneGroup(const interpolation::RbfInput& input, int max_points, int max_monomials)
      : input_(input),
        lanes_(weight_lanes()),
        coordinates_(std::size_t(3) * max_points * lanes_),
        queries_(std::size_t(3) * lanes_),
        values_(std::size_t(max_points) * lanes_),
        sums_(std::size_t(lanes_)),
        system_(std::size_t(max_points + max_monomials) * (max_points + max_monomials + 1) * lanes_) {}

  int lanes() const { return lanes_; }

  /// Computes the weights of `count` neighbourhoods, 1 to lanes(); at(lane) returns the one of a lane. Lanes that are
  /// left over repeat the last neighbourhood. The flags are those of the first `count` lanes. smallest_pivot(rows)
  /// returns the smallest pivot, as for lane_weights(), of a system of so many rows.
  template <class Smallest, class At>
  LaneFlags weigh(int points, unsigned monomials, int count, Smallest&& smallest_pivot, At&& at) {
    points_ = points;
    rows_ = points + interpolation::monomial_count(monomials);
    for (int lane = 0; lane < lanes_; ++lane) {
      const Neighborhood n = at(lane < count ? lane : count - 1);
      double* to = coordinates_.data() + lane;
      for (int i = 0; i < points; ++i, to += 3 * lanes_) put(input_.data.data(), n.ids[i], to);
      put(input_.queries.data(), n.query, queries_.data() + lane);
    }
    LaneFlags flags = lane_weights(input_.options, {points, monomials, coordinates_.data(), queries_.data()},
                                   smallest_pivot(rows_), system_.data());
    flags.singular &= (1u << count) - 1;
    flags.coincident &= (1u << count) - 1;
    return flags;
  }

  /// Prefetches the coordinates of a neighbourhood's points, and a value of each.
  void prefetch(const std::int32_t* ids, int points, const double* values) const {
    for (int i = 0; i < points; ++i) {
      __builtin_prefetch(input_.data.data() + std::int64_t{ids[i]} * input_.dimensions);
      __builtin_prefetch(values + ids[i]);
    }
  }

  /// Computes, for each lane of the last weigh(), the weighted sum of its points' values; sum(lane) returns it.
  /// write(lane, values, step) writes the values of a lane's points to values[0], values[step], … Returns the lanes
  /// that have a value that is not finite.
  template <class Write>
  std::uint32_t sum_values(int count, Write&& write) {
    for (int lane = 0; lane < lanes_; ++lane) write(lane < count ? lane : count - 1, values_.data() + lane, lanes_);
    const double* const weights = system_.data() + std::ptrdiff_t{rows_} * rows_ * lanes_;
    return weighted_sums(points_, weights, values_.data(), sums_.data()) & ((1u << count) - 1);
  }
  double sum(int lane) const { return sums_.data()[lane]; }

 private:
  void put(const double* points, std::int64_t id, double* to) const {
    const double* const p = points + id * input_.dimensions;
    to[0] = p[0];
    to[lanes_] = p[1];
    to[2 * lanes_] = input_.dimensions == 3 ? p[2] : 0;
  }

  const interpolation::RbfInput& input_;
  int lanes_;
  AlignedDoubles coordinates_, queries_, values_, sums_, system_;
  int points_ = 0, rows_ = 0;
};

}  // namespace kann::cpu
