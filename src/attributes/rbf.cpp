#include <cmath>
#include <type_traits>
#include <utility>

#include "kann/error.hpp"

#include "attributes/methods.hpp"
#include "base/parallel.hpp"
#include "cpu/interpolation/interpolate.hpp"
#include "cpu/interpolation/irregular_queries.hpp"
#include "cuda/backend.hpp"
#include "cuda/interpolation/backend.hpp"
#include "interpolation/shape.hpp"

namespace kann::attributes {

using interpolation::RbfInput;
using interpolation::RbfValues;

namespace {

/// Numbers as float64: those of the caller, or copies.
class Doubles {
 public:
  template <class T>
  Doubles(std::span<const T> values, int threads) {
    if constexpr (std::is_same_v<T, double>) {
      values_ = values;
    } else {
      copies_.resize(values.size());
      base::parallel_for(std::ssize(values), threads, [&](std::int64_t i) {
        copies_[i] = static_cast<double>(values[static_cast<std::size_t>(i)]);
      });
      values_ = copies_;
    }
  }
  Doubles(Doubles&&) = default;

  std::span<const double> values() const { return values_; }

 private:
  Array<double> copies_;
  std::span<const double> values_;
};

Doubles doubles_of(const PointsView& points, int threads) {
  return std::visit([&](const auto& c) { return Doubles(c, threads); }, points.coordinates);
}

Doubles doubles_of(const Attribute& attribute, int threads) {
  return std::visit(
      [&](const auto& v) {
        using T = typename std::remove_cvref_t<decltype(v)>::value_type;
        return Doubles(std::span<const T>(v), threads);
      },
      attribute.values);
}

/// With fewer operations in all systems, a CPU ends before a device has started, which takes some 0.2 s.
constexpr double k_worth_a_device = 4e9;

bool on_cuda(const Transfer& t) {
  const DeviceChoice device = t.options.device;
  if (device.kind == DeviceKind::cpu) return false;
  if (device.kind == DeviceKind::automatic) {
    const double rows = static_cast<double>(t.neighbors.k) + interpolation::monomial_count(interpolation::monomials_of(
                                                                 t.options.rbf.degree, t.data.dimensions));
    const double operations = static_cast<double>(t.neighbors.queries) * rows * rows * rows;
    return operations > k_worth_a_device && cuda::status(device.index).usable;
  }
  if (const CudaStatus status = cuda::status(device.index); !status.usable)
    throw Error(ErrorKind::no_device, "transfer: no CUDA device: " + status.reason + "; use the CPU");
  return true;
}

}  // namespace

TransferResult interpolated_values(const Transfer& t) {
  const Doubles data = doubles_of(t.data, t.threads), queries = doubles_of(t.queries, t.threads);
  std::vector<Doubles> columns;
  for (const Attribute& attribute : t.attributes) columns.push_back(doubles_of(attribute, t.threads));
  RbfInput input{.dimensions = t.data.dimensions,
                 .data = data.values(),
                 .queries = queries.values(),
                 .neighbors = &t.neighbors,
                 .columns = {},
                 .options = t.options.rbf,
                 .threads = t.threads};
  for (const Doubles& column : columns) input.columns.push_back(column.values());
  RbfValues values = on_cuda(t) ? cuda::interpolate(input, t.options.device.index) : cpu::interpolate(input);
  cpu::interpolate_irregular(input, values);

  TransferResult out;
  out.singular = values.singular;
  out.nan_values = values.nan_values;
  for (std::size_t c = 0; c < t.attributes.size(); ++c)
    out.attributes.push_back({t.attributes[c].name, std::move(values.columns[c])});
  return out;
}

}  // namespace kann::attributes
