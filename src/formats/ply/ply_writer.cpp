// Clouds as binary PLY.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "formats/files/refusal.hpp"
#include "formats/table/binary_rows.hpp"
#include "formats/table/cloud_writer.hpp"
#include "formats/table/meanings.hpp"
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

bool is_byte_colour(Meaning meaning) { return is_colour(meaning) && meaning != Meaning::nir; }

/// Whether all colours, of fractions or of 16 bits, are those of bytes.
bool are_shares_of_bytes(const Attribute& colours) {
  constexpr double rounding = 1e-4;  // of float32, and of fractions in text
  for (std::int64_t i = 0; i < colours.size(); ++i) {
    const double level = colours.at(i) * (colours.is_whole() ? 1.0 / 257 : 255);
    if (std::abs(level - std::nearbyint(level)) > rounding * 255) return false;
  }
  return true;
}

/// The name under which readers of PLY look for an attribute. CloudCompare shows what has `scalar_` before its name.
std::string name_in_ply(const Attribute& attribute) {
  constexpr std::string_view prefix = "scalar_";
  if (attribute.meaning == Meaning::found && !attribute.name.starts_with(prefix))
    return std::string(prefix) + attribute.name;
  const std::string_view name = name_of(attribute.meaning);
  const bool is_shown = attribute.name.starts_with(prefix) && attribute.meaning > Meaning::nz;  // as a scalar
  return name.empty() || is_shown ? attribute.name : std::string(name);
}

class PlyWriter final : public CloudWriter {
 public:
  PlyWriter(CloudSchema schema, std::string file)
      : schema_(std::move(schema)), file_(std::move(file)), wide_(schema_.attributes.size()) {}

  bool needs_survey() const override {
    return std::ranges::any_of(schema_.attributes, [](const Attribute& attribute) {
      return std::holds_alternative<Array<std::int64_t>>(attribute.values) ||
             std::holds_alternative<Array<std::uint64_t>>(attribute.values) || has_other_type(attribute);
    });
  }

  void survey(const CloudBlock& block) override {
    for (std::size_t a = 0; a < wide_.size(); ++a) {
      std::visit(
          [&]<class T>(const Array<T>& values) {
            if constexpr (!k_type<T>) wide_[a].add(values);
          },
          block.attributes[a].values);
      if (!has_other_type(schema_.attributes[a])) continue;
      const Meaning meaning = schema_.attributes[a].meaning;
      range_of(meaning).add(block.attributes[a]);
      if (is_byte_colour(meaning)) are_bytes_ &= are_shares_of_bytes(block.attributes[a]);
    }
  }

  std::string begin() override {
    const bool has_own_z = schema_.dimensions == 2 && std::ranges::count(schema_.attributes, "z", &Attribute::name) > 0;
    const bool is_flat = schema_.dimensions == 2 && !has_own_z;
    for (int axis = 0; axis < (has_own_z ? 2 : 3); ++axis)
      schema_.is_float ? add_coordinate<float>(axis) : add_coordinate<double>(axis);
    for (std::size_t a = 0; a < schema_.attributes.size(); ++a) {
      const Attribute& attribute = schema_.attributes[a];
      const std::string wanted = name_in_ply(attribute), name = names_.take(without_blanks(wanted));
      if (auto warning = renamed_warning(file_, wanted, name)) warnings_.push_back(std::move(*warning));
      if (add_by_meaning(name, a)) continue;
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
  /// Whether an attribute is a colour or a class that is not of bytes, as readers expect it.
  static bool has_other_type(const Attribute& attribute) {
    return (is_colour(attribute.meaning) || attribute.meaning == Meaning::classification) &&
           !std::holds_alternative<Array<std::uint8_t>>(attribute.values);
  }

  /// The range of the attributes that have a scale in common.
  ValueRange& range_of(Meaning meaning) {
    return ranges_[meaning == Meaning::alpha ? 1 : meaning == Meaning::nir ? 2 : is_colour(meaning) ? 0 : 3];
  }

  /// Adds an attribute as readers of PLY expect what it means; returns false if its own type is right.
  bool add_by_meaning(const std::string& name, std::size_t number) {
    const Attribute& attribute = schema_.attributes[number];
    if (attribute.meaning == Meaning::scan_angle) return add_scaled<float>(name, number, 0.006);
    if (!has_other_type(attribute)) return false;
    const ValueRange& range = range_of(attribute.meaning);
    if (attribute.meaning == Meaning::classification)
      return range.are_whole && range.least >= 0 && range.most <= 255 && add_scaled<std::uint8_t>(name, number, 1);
    const std::optional<double> full = full_scale(range);
    if (!full) {
      warnings_.push_back(
          fmt::format("{}: {} has values below 0 or above 65535, so that nothing says which is a full "
                      "colour; its type stays",
                      file_, quote(attribute.name)));
      return false;
    }
    if (attribute.meaning == Meaning::nir) return add_scaled<std::uint16_t>(name, number, 65535 / *full);
    if (*full != 255 && !are_bytes_ && !std::exchange(says_rounded_, true))
      warnings_.push_back(file_ + ": colours are rounded to bytes, which readers of PLY expect");
    return add_scaled<std::uint8_t>(name, number, 255 / *full);
  }

  template <class Out>
  bool add_scaled(const std::string& name, std::size_t number, double factor) {
    columns_.push_back(scaled_column<Out>(stride_, number, factor));
    add_property<Out>(name);
    return true;
  }

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
    const auto add_as = [&]<class Out>(Out) { add_scaled<Out>(name, number, 1); };
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
  std::vector<WideValues> wide_;        // one for each attribute
  bool are_bytes_ = true;               // whether bytes hold all colours
  bool says_rounded_ = false;           // whether there is a warning that they do not
  std::array<ValueRange, 4> ranges_{};  // of red, green and blue; of alpha; of near infrared; of classes
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
