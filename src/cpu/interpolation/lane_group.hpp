// Neighbourhoods of one shape as the lanes of a vector hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "cpu/interpolation/lane_weights.hpp"
#include "interpolation/rbf_input.hpp"
#include "interpolation/shape.hpp"

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

/// Memory for one group after the other, of at most `max_points` points.
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

  /// Computes the weights of neighbourhoods [0, count), 1 to lanes() of them, at(lane) each. The lanes that are left
  /// repeat the last. Flags are those of the first `count` lanes.
  template <class At>
  LaneFlags weigh(int points, unsigned monomials, int count, At&& at) {
    points_ = points;
    rows_ = points + interpolation::monomial_count(monomials);
    for (int lane = 0; lane < lanes_; ++lane) {
      const Neighborhood n = at(lane < count ? lane : count - 1);
      for (int i = 0; i < points; ++i) put(input_.data, n.ids[i], coordinates_.data() + i * 3 * lanes_ + lane);
      put(input_.queries, n.query, queries_.data() + lane);
    }
    LaneFlags flags =
        lane_weights(input_.options, {points, monomials, coordinates_.data(), queries_.data()}, system_.data());
    flags.singular &= (1u << count) - 1;
    flags.coincident &= (1u << count) - 1;
    return flags;
  }

  /// The weighted sums of value_at(lane, point) of the lanes of weigh(); sum(lane) has them. Returns those of them that
  /// have a value that is not finite.
  template <class ValueAt>
  std::uint32_t sum_values(int count, ValueAt&& value_at) {
    for (int lane = 0; lane < lanes_; ++lane)
      for (int i = 0; i < points_; ++i)
        values_.data()[i * lanes_ + lane] = value_at(lane < count ? lane : count - 1, i);
    const double* const weights = system_.data() + std::ptrdiff_t{rows_} * rows_ * lanes_;
    return weighted_sums(points_, weights, values_.data(), sums_.data()) & ((1u << count) - 1);
  }
  double sum(int lane) const { return sums_.data()[lane]; }

 private:
  void put(std::span<const double> points, std::int64_t id, double* to) const {
    const double* const p = points.data() + id * input_.dimensions;
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
