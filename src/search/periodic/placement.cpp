#include "search/periodic/placement.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <variant>

#include "base/parallel.hpp"
#include "search/periodic/lowest_bit.hpp"

namespace kann::detail {
namespace {

double largest_in(const geometry::Box& box, int axis) {
  return std::max(std::abs(box.lo[axis]), std::abs(box.hi[axis]));
}

bool is_float32(double x) { return static_cast<double>(static_cast<float>(x)) == x; }

}  // namespace

Placement::Placement(const PeriodicBox& box, const PointsView& data, const problem::Survey& data_survey,
                     const PointsView& queries, const problem::Survey& query_survey, int threads)
    : box_(box), data_(data), extent_(data_survey.box) {
  for (int a = 0; a < box_.dimensions(); ++a) {
    largest_[a] = largest_in(data_survey.box, a);
    moves_[a] = box_.is_periodic(a) && !(extent_.hi[a] - extent_.lo[a] <= 1.25 * box_.side(a));
    moves_data_ |= moves_[a];
  }
  is_exact_ = true;
  for (int a = 0; a < box_.dimensions() && is_exact_; ++a) {
    if (!box_.is_periodic(a)) continue;
    // No sum, difference or image that occurs is larger.
    const double largest = 2 * largest_[a] + largest_in(query_survey.box, a) + 4 * box_.side(a);
    is_exact_ = largest < std::ldexp(1.0, std::min({lowest_bit(box_.side(a)), lowest_bit(data, a, threads),
                                                    lowest_bit(queries, a, threads)}) +
                                              52);
  }
  if (moves_data_) move_data(data, threads);
}

/// Float32s stay so along a side that is one: their remainder has no bit below the lowest of both.
void Placement::move_data(const PointsView& given, int threads) {
  const int d = box_.dimensions();
  bool stays_float32 = std::holds_alternative<std::span<const float>>(given.coordinates);
  for (int a = 0; a < d; ++a) stays_float32 &= !moves(a) || is_float32(box_.side(a));
  moved_.dimensions = d;
  const auto move_to = [&](auto& out) {
    out.resize(static_cast<std::size_t>(given.size() * d));
    base::parallel_for(given.size(), threads, [&](std::int64_t i) {
      for (int a = 0; a < d; ++a) {
        const double x = given.at(i, a);
        out[i * d + a] =
            static_cast<std::remove_reference_t<decltype(out[0])>>(moves(a) ? std::remainder(x, box_.side(a)) : x);
      }
    });
  };
  if (stays_float32)
    move_to(moved_.coordinates.emplace<Array<float>>());
  else
    move_to(moved_.coordinates.emplace<Array<double>>());
  data_ = moved_;
  extent_ = problem::survey(data_, threads).box;
}

Placement::Place Placement::place(const Position& q) const {
  Place place{q, q, !moves_data_};
  for (int a = 0; a < box_.dimensions(); ++a) {
    if (!box_.is_periodic(a)) continue;
    const double side = box_.side(a), middle = moves(a) ? 0 : extent_.lo[a] / 2 + extent_.hi[a] / 2;
    place.rounding += 0x1p-52 * (std::abs(q[a]) + largest_[a]);
    if (!moves(a) && std::abs(q[a] - middle) <= 0.625 * side) continue;
    const double nearest = std::remainder(q[a], side);
    place.at[a] = std::fma(side, std::nearbyint((middle - nearest) / side), nearest);
    place.is_given &= place.at[a] == q[a];
  }
  return place;
}

bool Placement::is_blurred(const Place& place) const {
  if (is_exact_) return false;
  for (int a = 0; a < box_.dimensions(); ++a)
    if (box_.is_periodic(a) &&
        0x1p-52 * (std::abs(place.given[a]) + largest_[a] + std::abs(place.at[a])) > box_.side(a) / 64)
      return true;
  return false;
}

}  // namespace kann::detail
