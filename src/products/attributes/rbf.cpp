#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "kann/device.hpp"
#include "kann/error.hpp"

#include "base/threads/parallel.hpp"
#include "cpu/interpolation/interpolate.hpp"
#include "cuda/backend.hpp"
#include "cuda/interpolation/backend.hpp"
#include "geometry/interpolation/rbf_input.hpp"
#include "geometry/interpolation/shape.hpp"
#include "products/attributes/methods.hpp"

namespace kann::attributes {

using interpolation::RbfInput;
using interpolation::RbfValues;

namespace {

using interpolation::RbfInput;
using interpolation::RbfValues;

/// The operations of all systems, but for a factor: LU takes 2/3 n³ of n rows.
double cubes_of_rows(const RbfInput& input) {
  const unsigned monomials = interpolation::monomials_of(input.options.degree, input.dimensions);
  const double rows = static_cast<double>(input.k) + interpolation::monomial_count(monomials);
  return static_cast<double>(input.query_count()) * rows * rows * rows;
}

double cpu_seconds(const RbfInput& input) { return cubes_of_rows(input) / (7.8e9 * input.threads); }

RbfValues by_first(int index, const RbfInput& input) {
  const bool is_cuda = cpu_seconds(input) > cuda::seconds_worth(index) && cuda::status(index).usable;
  if (is_cuda) try {
      return cuda::interpolate(input, index);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::resources) throw;  // memory, of which an index may have taken most
    }
  return cpu::interpolate(input);
}

/// cpu::interpolate() or cuda::interpolate(), whose bytes are the same. DeviceKind::automatic takes the one that is
/// expected to end first, and the CPU where the device has no memory left. Blocks.
/// @throws Error no_device, resources, internal.
RbfValues interpolate_on(const DeviceChoice& device, const RbfInput& input) {
  if (device.kind == DeviceKind::cpu) return cpu::interpolate(input);
  if (device.kind == DeviceKind::automatic) return by_first(device.index, input);
  if (const CudaStatus status = cuda::status(device.index); !status.usable)
    throw Error(ErrorKind::no_device, "transfer: no CUDA device: " + status.reason + "; use the CPU");
  return cuda::interpolate(input, device.index);
}

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
  explicit Doubles(Array<double> values) : copies_(std::move(values)), values_(copies_) {}
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
        if (!attribute.no_data || std::is_floating_point_v<T>) return Doubles(std::span<const T>(v), threads);
        Array<double> known(v.size());
        for (std::size_t i = 0; i < known.size(); ++i)
          known[i] = attribute.is_missing(v[i]) ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(v[i]);
        return Doubles(std::move(known));
      },
      attribute.values);
}

/// The ids of lists as those of rows of k places.
Array<std::int32_t> padded_ids(const Transfer& t, std::int64_t k) {
  Array<std::int32_t> ids(static_cast<std::size_t>(t.rows.count * k), k_missing_id);
  base::parallel_for(t.rows.count, t.threads, [&](std::int64_t query) {
    std::int32_t* out = ids.data() + query * k;
    t.for_each_neighbor(query, [&](std::int32_t id, std::size_t) {
      *out++ = id;
      return true;
    });
  });
  return ids;
}

}  // namespace

TransferResult interpolated_values(const Transfer& t) {
  const Doubles data = doubles_of(t.data, t.threads), queries = doubles_of(t.queries, t.threads);
  std::vector<Doubles> columns;
  for (const Attribute& attribute : t.attributes) columns.push_back(doubles_of(attribute, t.threads));
  RbfInput input{.dimensions = t.data.dimensions,
                 .data = data.values(),
                 .queries = queries.values(),
                 .ids = t.ids,
                 .k = t.rows.k,
                 .columns = {},
                 .options = t.options.rbf,
                 .threads = t.threads};
  for (const Doubles& column : columns) input.columns.push_back(column.values());
  Array<std::int32_t> ids;
  if (!t.rows.begins.empty()) {
    input.k = most_neighbors(t.rows);
    ids = padded_ids(t, input.k);
    input.ids = ids;
  }
  RbfValues values = interpolate_on(t.options.device, input);
  cpu::interpolate_irregular(input, values);

  TransferResult out;
  out.singular = values.singular;
  out.by_distance = values.by_distance;
  out.nan_values = values.nan_values;
  for (std::size_t c = 0; c < t.attributes.size(); ++c)
    out.attributes.push_back(t.attributes[c].with(std::move(values.columns[c])));
  return out;
}

}  // namespace kann::attributes
