#include "formats/cloud_rows.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "kann/error.hpp"

#include "formats/files/input.hpp"
#include "formats/formats.hpp"
#include "formats/las/las_reader.hpp"
#include "formats/numpy/npy_reader.hpp"
#include "formats/numpy/npz_reader.hpp"
#include "formats/pcd/pcd_reader.hpp"
#include "formats/ply/ply_reader.hpp"
#include "formats/sniff.hpp"
#include "formats/table/axes.hpp"
#include "formats/text/text_reader.hpp"
#include "formats/vectors/vectors_reader.hpp"

namespace kann::formats {
namespace {

class RowsInDegrees final : public RowSource {
 public:
  explicit RowsInDegrees(std::unique_ptr<RowSource> rows) : rows_(std::move(rows)), described_(rows_->without_rows()) {
    convert_to_degrees(described_.points, described_);
  }

  std::int64_t size() const override { return rows_->size(); }
  const Cloud& without_rows() const override { return described_; }
  double buffer_bytes() const override { return rows_->buffer_bytes(); }
  Points read_points(std::int64_t first, std::int64_t count) const override {
    Points points = rows_->read_points(first, count);
    convert_to_degrees(points, described_);
    return points;
  }
  Cloud read(std::int64_t first, std::int64_t count) const override {
    Cloud cloud = rows_->read(first, count);
    convert_to_degrees(cloud.points, described_);
    return cloud;
  }

 private:
  const std::unique_ptr<RowSource> rows_;
  Cloud described_;
};

}  // namespace

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

std::unique_ptr<Table> open_table(std::shared_ptr<Input> input, PointFormat format, const ReadOptions& options) {
  const bool needs_magic = format == PointFormat::ply || format == PointFormat::npy || format == PointFormat::npz;
  const std::string_view head = input->head();
  // A file without it is refused by its head. The rest may be endless
  if (needs_magic && !format_of(format).has_magic_of(head))
    input = std::make_shared<Input>(input->name(), Array<char>(head.begin(), head.end()));
  const auto table = [&](RowLayout (*layout_of)(std::shared_ptr<Input>, const ReadOptions&)) {
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

RowCloud open_rows(const std::string& path, const ReadOptions& options) {
  check_read_options(options);
  if (path == "-") return {.obstacle = "a pipe"};
  auto input = std::make_shared<Input>(path);
  if (input->expected_size() == 0 && !input->head().empty()) return {.obstacle = "a pipe"};
  const FormatChoice choice = choose_format(input->name(), input->head(), options);
  RowCloud cloud = open_table(std::move(input), choice.format, options)->rows();
  if (options.sky && cloud.rows) cloud.rows = std::make_unique<RowsInDegrees>(std::move(cloud.rows));
  if (!choice.warning.empty()) cloud.warnings.insert(cloud.warnings.begin(), choice.warning);
  return cloud;
}

RowsInHead rows_in_head(const std::string& path, const ReadOptions& options) {
  check_read_options(options);
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  using Type = std::filesystem::file_type;
  if (path == "-" || type == Type::fifo || type == Type::character || type == Type::socket) return {};
  auto input = std::make_shared<Input>(path);
  const PointFormat format = choose_format(input->name(), input->head(), options).format;
  RowsInHead head = open_table(std::move(input), format, options)->in_head();
  if (options.sky && head.described) convert_to_degrees(head.described->points, *head.described);
  return head;
}

}  // namespace kann::formats
