// Clouds as binary PLY.
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/clouds/binary_rows.hpp"
#include "io/clouds/cloud_writers.hpp"
#include "io/clouds/names.hpp"
#include "io/files/refusal.hpp"

namespace kann::io {
namespace {

template <class T>
constexpr const char* k_type = nullptr;
template <>
constexpr const char* k_type<std::int8_t> = "char";
template <>
constexpr const char* k_type<std::uint8_t> = "uchar";
template <>
constexpr const char* k_type<std::int16_t> = "short";
template <>
constexpr const char* k_type<std::uint16_t> = "ushort";
template <>
constexpr const char* k_type<std::int32_t> = "int";
template <>
constexpr const char* k_type<std::uint32_t> = "uint";
template <>
constexpr const char* k_type<float> = "float";
template <>
constexpr const char* k_type<double> = "double";

class PlyWriter {
 public:
  PlyWriter(const PointsView& points, std::span<const Attribute> attributes, const std::string& file)
      : points_(points), file_(file) {
    const bool has_own_z = points.dimensions == 2 && std::ranges::count(attributes, "z", &Attribute::name) > 0;
    is_flat_ = points.dimensions == 2 && !has_own_z;
    std::visit([&](auto values) { add_coordinates(values, has_own_z ? 2 : 3); }, points.coordinates);
    for (const Attribute& attribute : attributes) {
      const std::string own = without_blanks(attribute.name), name = names_.take(own);
      if (auto warning = renamed_warning(file, attribute.name, own, name)) warnings.push_back(std::move(*warning));
      std::visit([&](const auto& values) { add_attribute(name, values); }, attribute.values);
    }
  }

  void write(ByteSink& sink, int threads) const {
    const std::string header = fmt::format("ply\nformat binary_little_endian 1.0\n{}element vertex {}\n{}end_header\n",
                                           is_flat_ ? "comment dimensions 2\n" : "", points_.size(), properties_);
    sink.write(as_bytes(header));
    write_rows(points_.size(), stride_, columns_, sink, threads);
  }

  std::vector<std::string> warnings;

 private:
  template <class T>
  void add_coordinates(std::span<const T> values, int count) {
    for (int axis = 0; axis < count; ++axis) {
      const std::string name = names_.take(std::string_view("xyz").substr(static_cast<std::size_t>(axis), 1));
      if (axis < points_.dimensions)
        add<T>(name, [p = values.data(), axis, d = points_.dimensions](std::int64_t i) { return p[i * d + axis]; });
      else
        add<T>(name, [](std::int64_t) { return T(0); });
    }
  }

  template <class T>
  void add_attribute(const std::string& name, const Array<T>& values) {
    if constexpr (k_type<T> != nullptr)
      add<T>(name, [p = values.data()](std::int64_t i) { return p[i]; });
    else
      add_wide(name, values);
  }

  /// Adds integers of 64 bits, which PLY does not have, as int32, uint32 or double, whichever holds them first.
  template <class T>
  void add_wide(const std::string& name, const Array<T>& values) {
    const auto fits = [&]<class Narrow>(Narrow) {
      return std::ranges::all_of(values, [](T value) { return std::in_range<Narrow>(value); });
    };
    const auto add_as = [&]<class Out>(Out) {
      add<Out>(name, [p = values.data()](std::int64_t i) { return static_cast<Out>(p[i]); });
    };
    if (fits(std::int32_t{})) return add_as(std::int32_t{});
    if (fits(std::uint32_t{})) return add_as(std::uint32_t{});
    constexpr auto limit = std::int64_t{1} << 53;
    const auto far = std::ranges::find_if(
        values, [](T value) { return std::cmp_greater(value, limit) || std::cmp_less(value, -limit); });
    if (far != values.end())
      refuse(file_, fmt::format("attribute {} has {}, which no type of PLY holds; write las or cloud-csv", quoted(name),
                                *far));
    add_as(double{});
  }

  template <class T>
  void add(const std::string& name, auto value) {
    properties_ += fmt::format("property {} {}\n", k_type<T>, name);
    columns_.push_back(row_column(stride_, value));
    stride_ += sizeof(T);
  }

  const PointsView& points_;
  const std::string& file_;
  bool is_flat_ = false;
  UniqueNames names_;
  std::string properties_;
  std::vector<RowColumn> columns_;
  std::size_t stride_ = 0;
};

}  // namespace

std::vector<std::string> write_ply(const PointsView& points, std::span<const Attribute> attributes, ByteSink& sink,
                                   int threads) {
  PlyWriter writer(points, attributes, sink.name());
  writer.write(sink, threads);
  return std::move(writer.warnings);
}

}  // namespace kann::io
