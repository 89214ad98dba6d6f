// Writes a cloud that does not come from a LAS file as LAS 1.4.
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "base/letter_case.hpp"
#include "io/clouds/cloud_writers.hpp"
#include "io/clouds/las_axis.hpp"
#include "io/clouds/las_extra.hpp"
#include "io/clouds/las_field_column.hpp"
#include "io/points/las/las_fields.hpp"
#include "io/points/las/las_header.hpp"

namespace kann::io {
namespace {

constexpr int k_plain_format = 6, k_colour_format = 7;
constexpr double k_fine_scale = 0.001;              // the coarsest scale of an axis, unless it is too long
constexpr std::size_t k_returns = 14;               // offset of the return number and the number of returns
constexpr std::uint8_t k_only_return = 1 | 1 << 4;  // return 1 of 1

class NewLas {
 public:
  NewLas(const PointsView& points, std::span<const Attribute> attributes, const std::string& file)
      : points_(points),
        file_(file),
        colours_(las_colours(attributes)),
        format_(has_colours(attributes) ? k_colour_format : k_plain_format),
        extras_(format_, las_record_bytes(format_)),
        fields_(las_standard_fields(format_)) {
    summary_.points = static_cast<std::uint64_t>(points.size());
    const Attribute* z = nullptr;  // the attribute z of a 2-D cloud
    for (const Attribute& attribute : attributes) {
      if (points.dimensions == 2 && !z && attribute.name == "z")
        z = &attribute;
      else if (!add_field(attribute))
        extras_.add(attribute);
    }
    extras_.check_size(file);
    add_axes(z);
    add_returns();
    columns_.insert(columns_.end(), extras_.columns().begin(), extras_.columns().end());
  }

  std::vector<std::string> warnings() const {
    std::vector<std::string> lines = extras_.warnings(file_);
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (scale_[axis] > k_fine_scale)
        lines.push_back(fmt::format("{}: {} is rounded to {}: int32 holds no finer steps over its extent; PLY does",
                                    file_, "xyz"[axis], scale_[axis]));
    return lines;
  }

  void write(ByteSink& sink, int threads) const {
    const std::size_t stride = extras_.record_bytes();
    const std::string head = new_las_head(format_, stride, scale_, offset_, summary_, extras_.descriptions(), file_);
    sink.write(as_bytes(head));
    write_rows(points_.size(), stride, columns_, sink, threads);
  }

 private:
  /// Whether there are attributes red, green and blue whose values the colour fields can hold.
  static bool has_colours(std::span<const Attribute> attributes) {
    const LasField field{.name = "", .stored = ScalarType::uint16};
    const auto colours = las_colours(attributes);
    return std::ranges::all_of(colours,
                               [&](const Attribute* colour) { return colour && fits_las_field(*colour, field); });
  }

  /// Makes an attribute the field of its name. Returns false if there is no such field, it is taken, or it cannot hold
  /// the values.
  bool add_field(const Attribute& attribute) {
    const auto field = std::ranges::find_if(
        fields_, [&](const LasField& f) { return base::equal_in_any_case(f.name, attribute.name); });
    if (field == fields_.end() || !fits_las_field(attribute, *field)) return false;
    columns_.push_back(las_field_column(*field, attribute.values, las_factor(*field, colours_)));
    if (field->name == "return_number") return_number_ = &attribute;
    has_returns_ |= field->offset == k_returns;
    fields_.erase(field);
    return true;
  }

  void add_axes(const Attribute* z) {
    for (int axis = 0; axis < 3; ++axis) {
      LasCoordinates coordinates{{}, points_.size(), false, "xyz"[axis]};
      if (axis < points_.dimensions) {
        coordinates.at = [this, axis](std::int64_t i) { return points_.at(i, axis); };
        coordinates.is_float = std::holds_alternative<std::span<const float>>(points_.coordinates);
      } else if (z) {
        coordinates.at = [z](std::int64_t i) { return z->at(i); };
        coordinates.is_float = std::holds_alternative<Array<float>>(z->values);
      } else {
        continue;  // 0 everywhere
      }
      const LasAxis chosen = choose_las_axis(coordinates, file_);
      const auto a = static_cast<std::size_t>(axis);
      scale_[a] = chosen.scale;
      offset_[a] = chosen.offset;
      summary_.minimum[a] = chosen.minimum;
      summary_.maximum[a] = chosen.maximum;
      columns_.push_back(
          row_column(4 * a, [chosen, at = coordinates.at](std::int64_t i) { return chosen.integer(at(i)); }));
    }
  }

  void add_returns() {
    if (!has_returns_) {
      columns_.push_back(row_column(k_returns, [](std::int64_t) { return k_only_return; }));
      summary_.by_return[0] = summary_.points;
    }
    for (std::int64_t i = 0; return_number_ && i < points_.size(); ++i)
      if (const auto number = static_cast<std::size_t>(return_number_->at(i)); number > 0)
        ++summary_.by_return[number - 1];
  }

  const PointsView& points_;
  const std::string& file_;
  const LasColours colours_;
  const int format_;
  LasExtras extras_;
  std::vector<LasField> fields_;  // fields that no attribute has taken
  std::vector<RowColumn> columns_;
  LasSummary summary_;
  std::array<double, 3> scale_{0.001, 0.001, 0.001}, offset_{};
  bool has_returns_ = false;  // there is return_number or number_of_returns
  const Attribute* return_number_ = nullptr;
};

}  // namespace

std::vector<std::string> write_new_las(const PointsView& points, std::span<const Attribute> attributes, ByteSink& sink,
                                       int threads) {
  const NewLas las(points, attributes, sink.name());
  las.write(sink, threads);
  return las.warnings();
}

}  // namespace kann::io
