// Clouds as binary PLY.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "formats/files/refusal.hpp"
#include "formats/table/binary_rows.hpp"
#include "formats/table/cloud_writer.hpp"
#include "formats/table/unique_names.hpp"

namespace kann::formats {
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

/// The values of an attribute with integers of 64 bits, which PLY does not have.
struct WideValues {
  std::uint64_t bits = 0;    ///< those that are set in any value
  std::uint64_t digits = 0;  ///< those that are set in any value, or not set in one below 0
  std::string far = {};      ///< the first value that double does not hold

  template <class T>
  void add(const Array<T>& values) {
    std::uint64_t all = 0, folded = 0;
    for (const T value : values) {
      all |= static_cast<std::uint64_t>(value);
      folded |= static_cast<std::uint64_t>(std::cmp_less(value, 0) ? ~value : value);
    }
    bits |= all;
    digits |= folded;
    constexpr auto limit = std::int64_t{1} << 53;
    if (!far.empty() || folded < static_cast<std::uint64_t>(limit)) return;
    const auto found = std::ranges::find_if(
        values, [](T value) { return std::cmp_greater(value, limit) || std::cmp_less(value, -limit); });
    if (found != values.end()) far = fmt::to_string(*found);
  }

  bool fit_int32() const { return digits >> 31 == 0; }
  bool fit_uint32() const { return bits >> 32 == 0; }
};

class PlyWriter final : public CloudWriter {
 public:
  PlyWriter(CloudSchema schema, std::string file)
      : schema_(std::move(schema)), file_(std::move(file)), wide_(schema_.attributes.size()) {}

  bool needs_survey() const override {
    return std::ranges::any_of(schema_.attributes, [](const Attribute& attribute) {
      return std::holds_alternative<Array<std::int64_t>>(attribute.values) ||
             std::holds_alternative<Array<std::uint64_t>>(attribute.values);
    });
  }

  void survey(const CloudBlock& block) override {
    for (std::size_t a = 0; a < wide_.size(); ++a)
      std::visit(
          [&]<class T>(const Array<T>& values) {
            if constexpr (!k_type<T>) wide_[a].add(values);
          },
          block.attributes[a].values);
  }

  std::string begin() override {
    const bool has_own_z = schema_.dimensions == 2 && std::ranges::count(schema_.attributes, "z", &Attribute::name) > 0;
    const bool is_flat = schema_.dimensions == 2 && !has_own_z;
    for (int axis = 0; axis < (has_own_z ? 2 : 3); ++axis)
      schema_.is_float ? add_coordinate<float>(axis) : add_coordinate<double>(axis);
    for (std::size_t a = 0; a < schema_.attributes.size(); ++a) {
      const Attribute& attribute = schema_.attributes[a];
      const std::string name = names_.take(without_blanks(attribute.name));
      if (auto warning = renamed_warning(file_, attribute.name, name)) warnings_.push_back(std::move(*warning));
      std::visit([&]<class T>(const Array<T>&) { add_attribute<T>(name, a); }, attribute.values);
    }
    return fmt::format("ply\nformat binary_little_endian 1.0\n{}element vertex {}\n{}end_header\n",
                       is_flat ? "comment dimensions 2\n" : "", schema_.points, properties_);
  }

  void write(const CloudBlock& block, ByteSink& sink, int threads) override {
    write_rows(block, schema_.points, stride_, columns_, sink, threads);
  }

  std::vector<std::string> warnings() const override { return warnings_; }

 private:
  template <class T>
  void add_coordinate(int axis) {
    if (axis < schema_.dimensions)  // else 0, as rows are where nothing has been written
      columns_.push_back([axis, offset = stride_](const CloudBlock& block) {
        const T* const p = std::get<std::span<const T>>(block.points.coordinates).data();
        return row_column(offset, [p, axis, d = block.points.dimensions](std::int64_t i) { return p[i * d + axis]; });
      });
    add_property<T>(names_.take(std::string_view("xyz").substr(static_cast<std::size_t>(axis), 1)));
  }

  template <class T>
  void add_attribute(const std::string& name, std::size_t number) {
    if constexpr (k_type<T> != nullptr) {
      columns_.push_back(attribute_column(stride_, number));
      add_property<T>(name);
    } else {
      add_wide<T>(name, number);
    }
  }

  /// Adds integers of 64 bits as int32, uint32 or double, whichever holds them first.
  template <class T>
  void add_wide(const std::string& name, std::size_t number) {
    const WideValues& values = wide_[number];
    const auto add_as = [&]<class Out>(Out) {
      columns_.push_back([number, offset = stride_](const CloudBlock& block) {
        return row_column(offset, [p = std::get<Array<T>>(block.attributes[number].values).data()](std::int64_t i) {
          return static_cast<Out>(p[i]);
        });
      });
      add_property<Out>(name);
    };
    if (values.fit_int32()) return add_as(std::int32_t{});
    if (values.fit_uint32()) return add_as(std::uint32_t{});
    if (!values.far.empty())
      refuse(file_, fmt::format("attribute {} has {}, which no type of PLY holds; write las or cloud-csv", quote(name),
                                values.far));
    add_as(double{});
  }

  template <class T>
  void add_property(const std::string& name) {
    properties_ += fmt::format("property {} {}\n", k_type<T>, name);
    stride_ += sizeof(T);
  }

  const CloudSchema schema_;
  const std::string file_;
  std::vector<WideValues> wide_;  // one for each attribute
  UniqueNames names_;
  std::string properties_;
  std::vector<CloudColumn> columns_;
  std::size_t stride_ = 0;
  std::vector<std::string> warnings_;
};

}  // namespace

std::unique_ptr<CloudWriter> ply_writer(CloudSchema schema, const std::string& file) {
  return std::make_unique<PlyWriter>(std::move(schema), file);
}

}  // namespace kann::formats
