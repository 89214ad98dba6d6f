#include "formats/cloud_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "kann/error.hpp"

#include "base/left_out.hpp"
#include "formats/files/input.hpp"
#include "formats/files/refusal.hpp"
#include "formats/formats.hpp"
#include "formats/numpy/npy_reader.hpp"
#include "formats/sniff.hpp"
#include "formats/table/axes.hpp"
#include "formats/table/layouts.hpp"
#include "formats/text/text_reader.hpp"

namespace kann::formats {
namespace {

/// Makes degrees of longitudes and latitudes in the units that `described` says they have, by degrees_per_unit() of its
/// columns.
void convert_to_degrees(Points& points, const Cloud& described) {
  const std::vector<std::string>& columns = described.columns;
  for (std::size_t axis = 0; axis < columns.size(); ++axis) {
    const std::optional<double> said = described.units.empty() ? std::nullopt : degrees_of_unit(described.units[axis]);
    const double degrees = said.value_or(degrees_per_unit(columns[axis]));
    if (degrees == 1) continue;
    if (const auto* const floats = std::get_if<Array<float>>(&points.coordinates))
      points.coordinates = Array<double>(floats->begin(), floats->end());
    auto& values = std::get<Array<double>>(points.coordinates);
    for (std::size_t i = axis; i < values.size(); i += columns.size()) values[i] *= degrees;
  }
}

/// Whether a column has a value that is not missing: one without is of any type.
bool has_value(const Attribute& column) {
  return std::visit(
      [&](const auto& values) {
        return std::ranges::any_of(values, [&](auto value) { return column.texts || !column.is_missing(value); });
      },
      column.values);
}

/// Marks the points that do not meet ReadOptions::where.
void leave_out(Cloud& cloud, const Condition& where, const std::string& file, bool is_certain) {
  const auto d = static_cast<std::size_t>(cloud.points.dimensions);
  std::visit(
      [&](auto& coordinates) {
        std::vector<std::uint8_t> met(coordinates.size() / d, 1);
        const auto named = std::span(cloud.asked).last(where.all.size());
        for (std::size_t i = 0; i < where.all.size(); ++i) {
          const Attribute& column = cloud.attributes[named[i].front()];
          const std::string fault = fault_of(where.all[i], column);
          if (!fault.empty() && (is_certain || has_value(column)))
            refuse(file, fmt::format("{}: {} {}", where.option, quote(column.name), fault));
          if (!fault.empty()) std::ranges::fill(met, 0);
          if (fault.empty()) compare(where.all[i], column, met);
        }
        for (std::size_t i = 0; i < met.size(); ++i)
          if (!met[i]) coordinates[i * d] = base::k_left_out;
      },
      cloud.points.coordinates);
}

/// Rows that adjust() changes.
class AdjustedRows final : public RowSource {
 public:
  /// @param judged the same rows, with the columns of ReadOptions::where alone
  AdjustedRows(std::unique_ptr<RowSource> rows, std::unique_ptr<RowSource> judged, const ReadRequest& options,
               std::string file)
      : rows_(std::move(rows)),
        judged_(std::move(judged)),
        options_(options),
        file_(std::move(file)),
        described_(rows_->without_rows()) {
    adjust(described_, options_, file_);
  }

  std::int64_t size() const override { return rows_->size(); }
  const Cloud& without_rows() const override { return described_; }
  double buffer_bytes() const override {
    constexpr double point_bytes = 64;  // with the columns of a condition
    const double judging = judged_ ? judged_->buffer_bytes() + point_bytes * k_judged_at_once : 0;
    return std::max(rows_->buffer_bytes(), judging);
  }
  Points read_points(std::int64_t first, std::int64_t count) const override {
    if (!judged_) {
      Points points = rows_->read_points(first, count);
      convert_to_degrees(points, described_);
      return points;
    }
    Points all = described_.points;
    std::visit(
        [&]<class T>(Array<T>& coordinates) {
          coordinates.reserve(static_cast<std::size_t>(count * all.dimensions));
          for (std::int64_t done = 0; done < count; done += k_judged_at_once) {
            Cloud cloud = judged_->read(first + done, std::min(k_judged_at_once, count - done));
            adjust(cloud, options_, file_);
            const auto& some = std::get<Array<T>>(cloud.points.coordinates);
            coordinates.insert(coordinates.end(), some.begin(), some.end());
          }
        },
        all.coordinates);
    return all;
  }
  Cloud read(std::int64_t first, std::int64_t count) const override {
    Cloud cloud = rows_->read(first, count);
    adjust(cloud, options_, file_);
    return cloud;
  }

 private:
  static constexpr std::int64_t k_judged_at_once = 1 << 12;

  const std::unique_ptr<RowSource> rows_, judged_;
  const ReadRequest options_;
  const std::string file_;
  Cloud described_;
};

}  // namespace

ReadRequest with_columns_of_where(ReadRequest options) {
  for (const Criterion& criterion : options.where.all)
    for (std::vector<std::string>* const names : {&options.attributes, &options.compared})
      names->push_back(criterion.name);
  return options;
}

void adjust(Cloud& cloud, const ReadRequest& options, const std::string& file, bool is_certain) {
  if (options.sky) convert_to_degrees(cloud.points, cloud);
  if (options.where) leave_out(cloud, options.where, file, is_certain);
}

std::unique_ptr<Table> open_table(std::shared_ptr<Input> input, PointFormat format, const ReadRequest& options) {
  const bool needs_magic = format == PointFormat::ply || format == PointFormat::npy || format == PointFormat::npz;
  const std::string_view head = input->head();
  // A file without it is refused by its head. The rest may be endless
  if (needs_magic && !format_of(format).has_magic_of(head))
    input = std::make_shared<Input>(input->name(), Array<char>(head.begin(), head.end()));
  const auto table = [&](RowLayout (*layout_of)(std::shared_ptr<Input>, const ReadRequest&)) {
    return std::make_unique<FixedTable>(layout_of(std::move(input), options), options.threads);
  };
  switch (format) {
    case PointFormat::ply:
      return table(ply_layout);
    case PointFormat::text:
      return std::make_unique<TextTable>(std::move(input), options);
    case PointFormat::npy:
      return table(npy_layout);
    case PointFormat::npz:
      return table(npz_layout);
    case PointFormat::pcd:
      return table(pcd_layout);
    case PointFormat::las:
    case PointFormat::laz:
      return table(las_layout);
    case PointFormat::fvecs:
      return table(fvecs_layout);
    case PointFormat::fbin:
      return table(fbin_layout);
    case PointFormat::kitti:
      return table(kitti_layout);
  }
  throw Error(ErrorKind::internal, "a point format without a reader");
}

Cloud read_whole_cloud(const std::string& path, const ReadRequest& given) try {
  check_columns(given.columns, given.columns_option);
  const ReadRequest options = with_columns_of_where(given);
  if (path == "-" && !options.format)
    throw Error(ErrorKind::usage, "standard input needs its format; name it with " + options.format_option);

  auto input = std::make_shared<Input>(path);
  input->report_progress(options.on_progress);
  const FormatChoice choice = choose_format(input->name(), input->head(), options);
  const std::string name = input->name();
  Cloud cloud = open_table(std::move(input), choice.format, options)->read();
  adjust(cloud, options, name);
  if (!choice.warning.empty()) cloud.warnings.insert(cloud.warnings.begin(), choice.warning);
  return cloud;
} catch (const std::bad_alloc&) {
  throw Error(ErrorKind::resources, path + ": not enough host memory to read it");
}

std::optional<CloudEstimate> estimate_cloud(const std::string& path, const ReadRequest& options) try {
  std::error_code error;
  // A FIFO would block, and its first bytes be lost
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  auto input = std::make_shared<Input>(path);
  if (input->head().empty()) return std::nullopt;
  const PointFormat format = choose_format(input->name(), input->head(), options).format;
  return open_table(std::move(input), format, options)->estimate();
} catch (const std::exception&) {
  return std::nullopt;  // reading the file will say what is wrong with it
}

RowCloud open_rows(const std::string& path, const ReadRequest& given) {
  check_columns(given.columns, given.columns_option);
  if (path == "-") return {.obstacle = "a pipe"};
  auto input = std::make_shared<Input>(path);
  if (input->expected_size() == 0 && !input->head().empty()) return {.obstacle = "a pipe"};
  const FormatChoice choice = choose_format(input->name(), input->head(), given);
  const ReadRequest options = with_columns_of_where(given);
  RowCloud cloud = open_table(std::move(input), choice.format, options)->rows();
  if (cloud.rows && (options.sky || options.where)) {
    ReadRequest of_judged = given;
    of_judged.attributes.clear();
    of_judged.all_attributes = of_judged.spelled = of_judged.las_records = false;
    of_judged = with_columns_of_where(std::move(of_judged));
    auto judged =
        options.where ? open_table(std::make_shared<Input>(path), choice.format, of_judged)->rows().rows : nullptr;
    cloud.rows = std::make_unique<AdjustedRows>(std::move(cloud.rows), std::move(judged), options, path);
  }
  if (!choice.warning.empty()) cloud.warnings.insert(cloud.warnings.begin(), choice.warning);
  return cloud;
}

RowsInHead rows_in_head(const std::string& path, const ReadRequest& given) {
  check_columns(given.columns, given.columns_option);
  const ReadRequest options = with_columns_of_where(given);
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  using Type = std::filesystem::file_type;
  if (path == "-" || type == Type::fifo || type == Type::character || type == Type::socket) return {};
  auto input = std::make_shared<Input>(path);
  const PointFormat format = choose_format(input->name(), input->head(), options).format;
  RowsInHead head = open_table(std::move(input), format, options)->in_head();
  if (head.described) adjust(*head.described, options, path, format != PointFormat::text);
  return head;
}

}  // namespace kann::formats

kann::Cloud kann::read_points(const std::string& path, const ReadOptions& options) {
  return formats::read_whole_cloud(path, options);
}
