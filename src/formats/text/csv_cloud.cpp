// Clouds as CSV.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/table/cloud_writer.hpp"
#include "formats/table/unique_names.hpp"
#include "formats/text/csv_cells.hpp"

namespace kann::formats {
namespace {

std::string_view why_renamed(const std::string& name) {
  return header_name(name) == name ? k_name_is_taken : "names in this format are on one line, and are no numbers";
}

class CsvWriter final : public CloudWriter {
 public:
  CsvWriter(CloudSchema schema, std::string file) : schema_(std::move(schema)), file_(std::move(file)) {}

  std::string begin() override {
    UniqueNames names;
    std::string header;
    const auto add_name = [&](const std::string& name) {
      const std::string taken = names.take(header_name(name));
      header += header_cell(taken) + ',';
      if (auto warning = renamed_warning(file_, name, taken, why_renamed(name)))
        warnings_.push_back(std::move(*warning));
    };
    for (int axis = 0; axis < schema_.dimensions; ++axis) add_name(coordinate_name(axis));
    for (const Attribute& attribute : schema_.attributes) add_name(attribute.name);
    header.back() = '\n';
    return header;
  }

  void write(const CloudBlock& cloud, ByteSink& sink, int threads) override {
    std::vector<CellColumn> columns;
    for (int axis = 0; axis < schema_.dimensions; ++axis) {
      columns.push_back(column_of(cloud.points, axis, coordinate_name(axis)));
      if (!schema_.decimals.empty()) columns.back().decimals = schema_.decimals[static_cast<std::size_t>(axis)];
    }
    for (const Attribute& attribute : cloud.attributes) columns.push_back(column_of(attribute));
    write_cells({columns, cloud.points.size(), schema_.points, ',', "nan"}, sink, threads);
  }

  std::vector<std::string> warnings() const override { return warnings_; }

 private:
  std::string coordinate_name(int axis) const {
    return schema_.coordinate_names.empty() ? std::string(1, "xyz"[axis])
                                            : schema_.coordinate_names[static_cast<std::size_t>(axis)];
  }

  const CloudSchema schema_;
  const std::string file_;
  std::vector<std::string> warnings_;
};

}  // namespace

std::unique_ptr<CloudWriter> csv_writer(CloudSchema schema, const std::string& file) {
  return std::make_unique<CsvWriter>(std::move(schema), file);
}

}  // namespace kann::formats
