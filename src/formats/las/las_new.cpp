// Writes a cloud that does not come from a LAS file as LAS 1.4.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/refusal.hpp"
#include "formats/las/las_extra.hpp"
#include "formats/las/las_field_column.hpp"
#include "formats/las/las_field_fits.hpp"
#include "formats/las/las_fields.hpp"
#include "formats/las/las_header.hpp"
#include "formats/table/cloud_writer.hpp"
#include "formats/table/number.hpp"

namespace kann::formats {
namespace {

/// Coordinates of an axis: at(i) is coordinate i of `count`.
struct LasCoordinates {
  std::function<double(std::int64_t)> at;
  std::int64_t count = 0;
};

struct LasAxis {
  double scale = 0.001, offset = 0;
  double minimum = 0, maximum = 0;  ///< as the file has them: scale · integer + offset

  /// The integer of a coordinate within the extent that the scale was chosen for.
  std::int32_t integer(double coordinate) const;
  double coordinate(std::int32_t integer) const { return integer * scale + offset; }
};

/// Chooses the offset and the scale of an axis. The offset is the minimum, rounded down. The scale is the coarsest
/// power of ten, at most 0.001, whose integers give all coordinates back: floats exactly, doubles up to 4 units in the
/// last place of the largest. Where int32 does not hold such integers, it is the finest power of ten whose integers
/// int32 holds. Example: 636000.12 and 636000.5 have offset 636000 and scale 0.001; 0.1f and 0.123456f have 0 and
/// 0.000001.
///
/// Pass all blocks of coordinates to extend(), then call choose_offset(), then pass them to refine(), in the same
/// order, again and again until is_chosen(). An axis without coordinates is 0 everywhere.
class LasAxisChoice {
 public:
  /// @param is_float whether the coordinates are floats, else doubles
  LasAxisChoice(char name, bool is_float) : name_(name), is_float_(is_float) {}

  void extend(const LasCoordinates& coordinates);

  /// @throws Error bad_input ("FILE: point 17: y is nan..."), also if they are too far apart.
  void choose_offset(const std::string& file);

  /// Makes the scale finer until these coordinates are given back.
  void refine(const LasCoordinates& coordinates);

  /// Whether the scale gives back all coordinates, or is the finest.
  bool is_chosen() const { return given_back_ >= count_; }

  LasAxis axis() const;

 private:
  bool holds_scale(int exponent) const;
  bool gives_back(const LasCoordinates& coordinates) const;

  const char name_;
  const bool is_float_;
  std::int64_t count_ = 0;
  std::optional<std::pair<std::int64_t, double>> not_finite_;  ///< number and coordinate of the first such point
  double minimum_ = std::numeric_limits<double>::infinity(), maximum_ = -minimum_;
  LasAxis axis_;
  int exponent_ = 0;             ///< the scale is this power of ten
  std::int64_t given_back_ = 0;  ///< the number of coordinates in a row that this scale gives back
};

constexpr double k_largest_integer = std::numeric_limits<std::int32_t>::max();
constexpr int k_coarsest_usual = -3, k_finest = -300;  // exponents of ten

/// Correctly rounded, which pow() need not be.
double power_of_ten(int exponent) {
  double power = 0;
  parse_number(fmt::format("1e{}", exponent), power);
  return power;
}

std::int32_t LasAxis::integer(double coordinate) const {
  return static_cast<std::int32_t>(std::nearbyint((coordinate - offset) / scale));
}

void LasAxisChoice::extend(const LasCoordinates& coordinates) {
  double minimum = minimum_, maximum = maximum_;
  for (std::int64_t i = 0; i < coordinates.count && !not_finite_; ++i) {
    const double value = coordinates.at(i);
    if (!std::isfinite(value)) not_finite_ = {count_ + i, value};
    minimum = std::min(minimum, value);
    maximum = std::max(maximum, value);
  }
  minimum_ = minimum;
  maximum_ = maximum;
  count_ += coordinates.count;
}

void LasAxisChoice::choose_offset(const std::string& file) {
  if (count_ == 0) return;
  if (not_finite_)
    refuse(file, fmt::format("point {}: {} is {}, which LAS cannot hold; leave such points out, or write ply or "
                             "cloud-csv",
                             not_finite_->first, name_, not_finite_->second));
  axis_.offset = std::floor(minimum_);
  exponent_ = k_coarsest_usual;
  while (!holds_scale(exponent_) && exponent_ < std::numeric_limits<double>::max_exponent10) ++exponent_;
  if (!holds_scale(exponent_) || !std::isfinite(axis_.offset))
    refuse(file, fmt::format("{} from {} to {} is more than LAS can hold; write ply or cloud-csv", name_, minimum_,
                             maximum_));
  axis_.scale = power_of_ten(exponent_);
}

void LasAxisChoice::refine(const LasCoordinates& coordinates) {
  if (is_chosen()) return;
  while (!gives_back(coordinates)) {
    given_back_ = 0;
    if (exponent_ == k_finest || !holds_scale(exponent_ - 1)) {
      given_back_ = count_;  // no scale would
      return;
    }
    axis_.scale = power_of_ten(--exponent_);
  }
  given_back_ += coordinates.count;
}

LasAxis LasAxisChoice::axis() const {
  LasAxis axis = axis_;
  if (count_ > 0) {
    axis.minimum = axis.coordinate(axis.integer(minimum_));
    axis.maximum = axis.coordinate(axis.integer(maximum_));
  }
  return axis;
}

/// Whether int32 holds the integers of all coordinates with the scale 10^exponent.
bool LasAxisChoice::holds_scale(int exponent) const {
  return (maximum_ - axis_.offset) / power_of_ten(exponent) < k_largest_integer;
}

bool LasAxisChoice::gives_back(const LasCoordinates& coordinates) const {
  const double tolerance =
      4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(minimum_), std::abs(maximum_));
  for (std::int64_t i = 0; i < coordinates.count; ++i) {
    const double value = coordinates.at(i), back = axis_.coordinate(axis_.integer(value));
    if (is_float_ ? static_cast<float>(back) != static_cast<float>(value) : !(std::abs(back - value) <= tolerance))
      return false;
  }
  return true;
}

constexpr int k_plain_format = 6, k_colour_format = 7, k_nir_format = 8;
constexpr double k_fine_scale = 0.001;              // of an axis; a coarser one where the axis is too long for it
constexpr std::size_t k_returns = 14;               // offset of the return number and the number of returns
constexpr std::uint8_t k_only_return = 1 | 1 << 4;  // return 1 of 1

class NewLasWriter final : public CloudWriter {
 public:
  NewLasWriter(CloudSchema schema, std::string file)
      : schema_(std::move(schema)),
        file_(std::move(file)),
        fits_(las_standard_fields(k_nir_format), schema_.attributes) {
    if (schema_.dimensions == 2)
      if (const auto z = std::ranges::find(schema_.attributes, "z", &Attribute::name); z != schema_.attributes.end())
        z_ = static_cast<std::size_t>(z - schema_.attributes.begin());
    for (int axis = 0; axis < 3; ++axis) {
      const bool is_float = axis < schema_.dimensions
                                ? schema_.is_float
                                : z_ && std::holds_alternative<Array<float>>(schema_.attributes[*z_].values);
      axes_.emplace_back("xyz"[axis], is_float);
    }
  }

  bool needs_survey() const override { return true; }

  /// The first survey is about the extents and the fields, all others are about the scales.
  void survey(const CloudBlock& block) override {
    if (!extras_) fits_.survey(block.attributes);
    for (std::size_t axis = 0; axis < number_of_axes(); ++axis)
      extras_ ? axes_[axis].refine(coordinates_of(block, axis)) : axes_[axis].extend(coordinates_of(block, axis));
  }

  bool end_survey() override {
    if (!extras_) {
      arrange();
      for (LasAxisChoice& axis : axes_) axis.choose_offset(file_);
    }
    return !std::ranges::all_of(axes_, &LasAxisChoice::is_chosen);
  }

  std::string begin() override {
    std::array<double, 3> scale, offset;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const LasAxis chosen = axes_[axis].axis();
      scale[axis] = chosen.scale;
      offset[axis] = chosen.offset;
      summary_.minimum[axis] = chosen.minimum;
      summary_.maximum[axis] = chosen.maximum;
      if (axis < number_of_axes())
        columns_.push_back([this, axis, chosen](const CloudBlock& block) {
          return row_column(4 * axis, [chosen, at = coordinates_of(block, axis).at](std::int64_t i) {
            return chosen.integer(at(i));
          });
        });
    }
    return new_las_head(format_, extras_->record_bytes(), scale, offset, summary_, extras_->descriptions(), file_);
  }

  void write(const CloudBlock& block, ByteSink& sink, int threads) override {
    write_rows(block, schema_.points, extras_->record_bytes(), columns_, sink, threads);
  }

  std::vector<std::string> warnings() const override {
    std::vector<std::string> lines = fits_.warnings(file_);
    std::ranges::move(extras_->warnings(file_), std::back_inserter(lines));
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (const double scale = axes_[axis].axis().scale; scale > k_fine_scale)
        lines.push_back(fmt::format("{}: {} is rounded to {}: int32 holds no finer steps over its extent; PLY does",
                                    file_, "xyz"[axis], scale));
    return lines;
  }

 private:
  /// Without an attribute z, that of a 2-D cloud is 0 everywhere.
  std::size_t number_of_axes() const { return schema_.dimensions == 2 && !z_ ? 2 : 3; }

  /// Valid as long as the block.
  LasCoordinates coordinates_of(const CloudBlock& block, std::size_t axis) const {
    const PointsView& points = block.points;
    if (static_cast<int>(axis) < points.dimensions)
      return {[&points, a = static_cast<int>(axis)](std::int64_t i) { return points.at(i, a); }, points.size()};
    return {[&z = block.attributes[*z_]](std::int64_t i) { return z.at(i); }, points.size()};
  }

  /// Gives the attributes their places in the record: the fields that hold them, or extra bytes.
  void arrange() {
    const bool has_colours = fits_.has_fitting(Meaning::red), has_nir = fits_.has_fitting(Meaning::nir);
    format_ = !has_colours ? k_plain_format : has_nir ? k_nir_format : k_colour_format;
    extras_.emplace(format_, las_record_bytes(format_));
    const std::vector<LasField> fields = las_standard_fields(format_);
    bool has_returns = false;  // there is return_number or number_of_returns
    for (std::size_t a = 0; a < schema_.attributes.size(); ++a) {
      if (a == z_) continue;
      const auto place = fits_.take(a, fields);
      if (!place) {
        extras_->add(schema_.attributes[a], a);
        continue;
      }
      const LasField& field = *std::ranges::find(fields, place->field, &LasField::name);
      columns_.push_back(las_field_column(field, a, place->factor));
      has_returns |= field.offset == k_returns;
      if (field.name == "return_number") summary_.by_return = place->by_return;
      if (field.name == "gps_time") summary_.has_standard_time = fits_.is_standard_time(a);
    }
    extras_->check_size(file_);
    columns_.insert(columns_.end(), extras_->columns().begin(), extras_->columns().end());
    summary_.points = static_cast<std::uint64_t>(schema_.points);
    if (has_returns) return;
    columns_.push_back(
        [](const CloudBlock&) { return row_column(k_returns, [](std::int64_t) { return k_only_return; }); });
    summary_.by_return[0] = summary_.points;
  }

  const CloudSchema schema_;
  const std::string file_;
  std::optional<std::size_t> z_;  // number of the attribute z of a 2-D cloud
  LasFieldFits fits_;
  std::vector<LasAxisChoice> axes_;
  int format_ = k_plain_format;
  std::optional<LasExtras> extras_;  // set by the first survey
  std::vector<CloudColumn> columns_;
  LasSummary summary_;
};

}  // namespace

std::unique_ptr<CloudWriter> new_las_writer(CloudSchema schema, const std::string& file) {
  return std::make_unique<NewLasWriter>(std::move(schema), file);
}

}  // namespace kann::formats
