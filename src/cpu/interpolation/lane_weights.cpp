#include "cpu/interpolation/lane_weights.hpp"

#include <limits>

#include "cpu/interpolation/lane_systems-inl.hpp"
#include "cpu/vector/highway.hpp"
#include "geometry/interpolation/kernels-inl.hpp"
#include "geometry/interpolation/shape.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

/// The lanes of a mask as bits.
HWY_INLINE std::uint32_t lane_bits(Truth truth) {
  HWY_ALIGN double ones[k_real_lanes];
  store(choose(truth, real(1), real(0)), ones);
  std::uint32_t set = 0;
  for (int lane = 0; lane < k_real_lanes; ++lane) set |= static_cast<std::uint32_t>(ones[lane] != 0) << lane;
  return set;
}

/// Neighbourhoods in vectors, with their shifts and scales. Scales are stored as factors, which saves divisions.
class Neighborhoods {
 public:
  explicit Neighborhoods(const LaneNeighborhoods& n) : n_(n) {
    for (int axis = 0; axis < 3; ++axis) {
      Real low = at(0, axis), high = low;
      for (int i = 1; i < n.points; ++i) {
        const Real c = at(i, axis);
        low = choose(c < low, c, low);
        high = choose(c > high, c, high);
      }
      shift_[axis] = (high + low) * real(0.5);
      const Real half = (high - low) * real(0.5);
      factor_[axis] = real(1) / choose(half == real(0), real(1), half);
      extent_[axis] = high - low;
    }
  }

  HWY_INLINE Real at(int i, int axis) const { return load(n_.coordinates + (i * 3 + axis) * k_real_lanes); }
  HWY_INLINE Real query(int axis) const { return load(n_.queries + axis * k_real_lanes); }
  HWY_INLINE Real sq_extent() const { return sum_of_squares(extent_[0], extent_[1], extent_[2]); }
  HWY_INLINE Real sq_distance(int i, Real x, Real y, Real z) const {
    return sum_of_squares(at(i, 0) - x, at(i, 1) - y, at(i, 2) - z);
  }
  HWY_INLINE void scaled(Real x, Real y, Real z, Real (&u)[3]) const {
    u[0] = (x - shift_[0]) * factor_[0];
    u[1] = (y - shift_[1]) * factor_[1];
    u[2] = (z - shift_[2]) * factor_[2];
  }

 private:
  const LaneNeighborhoods& n_;
  Real shift_[3], factor_[3], extent_[3];
};

/// Writes the systems, scaled by kernel_scale(). Returns the lanes that have coincident points.
template <RbfKernel kernel>
HWY_INLINE Truth assemble(const RbfOptions& options, const LaneNeighborhoods& n, const LaneColumns& a) {
  const Neighborhoods points(n);
  const Real sq_epsilon = real(options.epsilon * options.epsilon);
  const Real unit = kernel_scale<kernel>(points.sq_extent() * sq_epsilon, options.smoothing);
  const Real diagonal = unit * (radial<kernel>(real(0)) + real(options.smoothing));
  Truth coincident = real(0) != real(0);
  for (int j = 0; j < n.points; ++j) {
    const Real x = points.at(j, 0), y = points.at(j, 1), z = points.at(j, 2);
    store(diagonal, a.at(j, j));
    for (int i = j + 1; i < n.points; ++i) {
      const Real sq_distance = points.sq_distance(i, x, y, z);
      coincident = either(coincident, sq_distance == real(0));
      const Real element = unit * radial<kernel>(sq_distance * sq_epsilon);
      store(element, a.at(i, j));
      store(element, a.at(j, i));
    }
    Real u[3];
    points.scaled(x, y, z, u);
    int row = n.points;
    for (int number = 0; number < interpolation::k_monomials; ++number) {
      if (!(n.monomials >> number & 1)) continue;
      const Real element = monomial(number, u);
      store(element, a.at(row, j));
      store(element, a.at(j, row));
      ++row;
    }
  }
  const Real x = points.query(0), y = points.query(1), z = points.query(2);
  for (int i = 0; i < n.points; ++i)
    store(unit * radial<kernel>(points.sq_distance(i, x, y, z) * sq_epsilon), a.at(i, a.n));
  Real u[3];
  points.scaled(x, y, z, u);
  int row = n.points;
  for (int number = 0; number < interpolation::k_monomials; ++number)
    if (n.monomials >> number & 1) store(monomial(number, u), a.at(row++, a.n));
  for (int j = n.points; j < a.n; ++j)
    for (int i = n.points; i < a.n; ++i) store(real(0), a.at(i, j));
  return coincident;
}

LaneFlags lane_weights(const RbfOptions& options, const LaneNeighborhoods& n, double smallest_pivot, double* system) {
  const LaneColumns a{system, n.points + interpolation::monomial_count(n.monomials)};
  LaneFlags flags;
  switch (options.kernel) {
    case RbfKernel::thin_plate_spline:
      flags.coincident = lane_bits(assemble<RbfKernel::thin_plate_spline>(options, n, a));
      break;
    case RbfKernel::cubic:
      flags.coincident = lane_bits(assemble<RbfKernel::cubic>(options, n, a));
      break;
    case RbfKernel::linear:
      flags.coincident = lane_bits(assemble<RbfKernel::linear>(options, n, a));
      break;
    case RbfKernel::gaussian:
      flags.coincident = lane_bits(assemble<RbfKernel::gaussian>(options, n, a));
      break;
  }
  Truth good = solve_lanes(a, smallest_pivot);
  for (int i = 0; i < n.points; ++i) good = both(good, magnitude(load(a.at(i, a.n))) < real(k_infinity));
  flags.singular = ~lane_bits(good) & ((1u << k_real_lanes) - 1);
  return flags;
}

std::uint32_t weighted_sums(int points, const double* weights, const double* values, double* sums) {
  Real sum = real(0);
  Truth finite = real(0) == real(0);
  for (int i = 0; i < points; ++i) {
    const Real value = load(values + i * k_real_lanes);
    finite = both(finite, magnitude(value) < real(k_infinity));
    sum = fused(load(weights + i * k_real_lanes), value, sum);
  }
  store(sum, sums);
  return ~lane_bits(finite) & ((1u << k_real_lanes) - 1);
}

std::uint32_t solve_lane_systems(int n, double smallest_pivot, double* columns) {
  return lane_bits(solve_lanes(LaneColumns{columns, n}, smallest_pivot));
}

int weight_lanes() { return k_real_lanes; }

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if KANN_ONCE
namespace kann::cpu {

KANN_ON_EACH_TARGET(LaneFlags lane_weights(const RbfOptions&, const LaneNeighborhoods&, double, double*);
                    std::uint32_t weighted_sums(int, const double*, const double*, double*);
                    std::uint32_t solve_lane_systems(int, double, double*); int weight_lanes();)

int weight_lanes() { return KANN_DISPATCH(weight_lanes)(); }

LaneFlags lane_weights(const RbfOptions& options, const LaneNeighborhoods& neighborhoods, double smallest_pivot,
                       double* system) {
  return KANN_DISPATCH(lane_weights)(options, neighborhoods, smallest_pivot, system);
}

std::uint32_t weighted_sums(int points, const double* weights, const double* values, double* sums) {
  return KANN_DISPATCH(weighted_sums)(points, weights, values, sums);
}

std::uint32_t solve_lane_systems(int n, double smallest_pivot, double* columns) {
  return KANN_DISPATCH(solve_lane_systems)(n, smallest_pivot, columns);
}

}  // namespace kann::cpu
#endif
