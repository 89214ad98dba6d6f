// The writers of clouds: what is read of PLY, LAS or text, by the content, is written in each format and read again,
// with the values that went in.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kann/io.hpp"

#include "base/letter_case.hpp"
#include "formats/table/cloud_writer.hpp"
#include "formats/table/meanings.hpp"
#include "targets/checks.hpp"
#include "targets/memory_file.hpp"

namespace kann::fuzz {
namespace {

constexpr std::size_t k_max_message = 4000;

class MemorySink : public formats::ByteSink {
 public:
  void write(std::span<const std::byte> piece) override {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  }
  const std::string& name() const override { return name_; }

  std::string bytes;

 private:
  std::string name_ = "cloud";
};

/// Writes the cloud as one block.
std::vector<std::string> write(CloudFormat format, const Cloud& cloud, std::span<const Attribute> attributes,
                               const LasRecords* las, MemorySink& sink) {
  const CloudBlocks blocks{cloud.points.size(), [&](const CloudBlocks::Sink& take) {
                             take({cloud.points, attributes, las});
                           }};
  return formats::write_cloud(format, blocks, sink, 1);
}

Cloud read_bytes(std::string_view bytes, const ReadOptions& options) {
  static MemoryFile file;
  file.set_bytes({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return read_points(file.path(""), options);
}

Cloud read_again(std::string_view bytes, const ReadOptions& options) try {
  return read_bytes(bytes, options);
} catch (const Error& error) {
  report("what is written is read again", error.what());
}

/// What a cloud has in its file, as columns: the coordinates, then the attributes.
std::vector<Attribute> columns_of(const Cloud& cloud) {
  std::vector<Attribute> columns;
  std::visit(
      [&]<class T>(const Array<T>& coordinates) {
        for (int axis = 0; axis < cloud.points.dimensions; ++axis) {
          Array<T> values(static_cast<std::size_t>(cloud.points.size()));
          for (std::size_t i = 0; i < values.size(); ++i)
            values[i] =
                coordinates[i * static_cast<std::size_t>(cloud.points.dimensions) + static_cast<std::size_t>(axis)];
          columns.push_back({std::string(1, "xyz"[axis]), std::move(values)});
        }
      },
      cloud.points.coordinates);
  columns.insert(columns.end(), cloud.attributes.begin(), cloud.attributes.end());
  return columns;
}

/// Whether a value that was read again is the one that was written, in its type.
bool is_same(double got, const Attribute& want, std::int64_t i) {
  return std::visit(
      [&]<class T>(const Array<T>& values) {
        const auto value = static_cast<double>(values[static_cast<std::size_t>(i)]);
        if (std::isnan(value)) return std::isnan(got);
        return std::is_same_v<T, float> ? static_cast<float>(got) == static_cast<float>(value) : got == value;
      },
      want.values);
}

void check_column(const Attribute& got, const Attribute& want) {
  if (got.size() != want.size()) report("a column has a value per point", got.name);
  for (std::int64_t i = 0; i < want.size(); ++i)
    if (!is_same(got.at(i), want, i))
      report("a value that is written is read again",
             want.name + " of point " + std::to_string(i) + " is " + std::to_string(got.at(i)));
}

/// Whether writers may scale the values: tests have how.
bool may_be_scaled(const Attribute& attribute) {
  return formats::is_colour(attribute.meaning) || attribute.meaning == Meaning::intensity ||
         attribute.meaning == Meaning::scan_angle || attribute.meaning == Meaning::scan_angle_rank;
}

void check_columns(const std::vector<Attribute>& got, const std::vector<Attribute>& want, bool are_scaled = false) {
  if (got.size() != want.size())
    report("all columns are read again", std::to_string(got.size()) + " of " + std::to_string(want.size()));
  for (std::size_t c = 0; c < want.size(); ++c)
    if (!are_scaled || !may_be_scaled(want[c])) check_column(got[c], want[c]);
}

/// Numbers of the columns of the coordinates, since attributes may be called X or pos_x.
ReadOptions all_with_axes(PointFormat format, int dimensions) {
  ReadOptions options{.format = format, .columns = {"1", "2", "3"}, .all_attributes = true};
  options.columns.resize(static_cast<std::size_t>(dimensions));
  return options;
}

void check_ply(const Cloud& cloud) {
  MemorySink sink;
  write(CloudFormat::ply, cloud, cloud.attributes, nullptr, sink);
  Cloud got = read_again(sink.bytes, all_with_axes(PointFormat::ply, cloud.points.dimensions));
  if (cloud.points.dimensions == 2) got.attributes.erase(got.attributes.begin());  // the z for viewers
  if (got.points.coordinates.index() != cloud.points.coordinates.index())
    report("PLY keeps the type of coordinates", std::to_string(got.points.coordinates.index()));
  check_columns(columns_of(got), columns_of(cloud), true);
}

/// Without a row, a name full of semicolons is taken for the header.
void check_csv(const Cloud& cloud) {
  if (cloud.points.size() == 0) return;
  MemorySink sink;
  write(CloudFormat::csv, cloud, cloud.attributes, nullptr, sink);
  check_columns(columns_of(read_again(sink.bytes, all_with_axes(PointFormat::text, cloud.points.dimensions))),
                columns_of(cloud));
}

/// Rounded to the scale at most, which the header has.
void check_las_coordinates(const Points& got, const Points& want, const std::string& file) {
  if (got.size() != want.size()) report("all points are read again", std::to_string(got.size()));
  for (int axis = 0; axis < want.dimensions; ++axis) {
    constexpr std::size_t scales = 131;  // place in the header
    double scale = 0, largest = 0;
    std::memcpy(&scale, file.data() + scales + sizeof scale * static_cast<std::size_t>(axis), sizeof scale);
    for (std::int64_t i = 0; i < want.size(); ++i) largest = std::max(largest, std::abs(want.at(i, axis)));
    const double tolerance = scale / 2 + 8 * std::numeric_limits<double>::epsilon() * (largest + 1);
    for (std::int64_t i = 0; i < want.size(); ++i)
      if (const double off = std::abs(got.at(i, axis) - want.at(i, axis)); !(off <= tolerance))
        report("a coordinate is that which was written, up to the scale of LAS",
               std::to_string(got.at(i, axis)) + " for " + std::to_string(want.at(i, axis)));
  }
}

/// Attributes whose names LAS can hold and that no other has. What a warning names is somewhere else.
bool keeps_its_name(const Attribute& attribute, const Cloud& cloud, const std::vector<std::string>& warnings) {
  const std::string& name = attribute.name;
  const bool is_plain =
      !name.empty() && name.size() <= 32 && std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
  const auto has_name = [&](const Attribute& other) { return base::equal_in_any_case(other.name, name); };
  if (!is_plain || std::ranges::count_if(cloud.attributes, has_name) > 1) return false;
  return std::ranges::none_of(warnings, [&](const std::string& line) {
    return line.find("attribute '" + name + "' is called ") != std::string::npos;
  });
}

void check_las(const Cloud& cloud) {
  MemorySink sink;
  const std::vector<std::string> warnings = write(CloudFormat::las, cloud, cloud.attributes, nullptr, sink);
  for (const std::string& warning : warnings) check_line("the warning", warning, k_max_message);
  const Cloud got = read_again(sink.bytes, {.format = PointFormat::las, .all_attributes = true});
  check_las_coordinates(got.points, cloud.points, sink.bytes);
  for (const Attribute& attribute : cloud.attributes) {
    if (!keeps_its_name(attribute, cloud, warnings)) continue;
    const auto has_name = [&](const Attribute& other) {
      const bool means_it = formats::name_of(attribute.meaning) == formats::name_of(other.meaning) &&
                            !formats::name_of(attribute.meaning).empty();
      return base::equal_in_any_case(other.name, attribute.name) || means_it;
    };
    const auto found = std::ranges::find_if(got.attributes, has_name);
    if (found == got.attributes.end()) {
      if (may_be_scaled(attribute)) continue;  // a scan angle of another format
      report("an attribute of LAS is read again under its name, or its meaning", attribute.name);
    }
    if (!may_be_scaled(attribute)) check_column(*found, attribute);
  }
}

void check_las_records(const Cloud& cloud) {
  MemorySink sink;
  write(CloudFormat::las, cloud, {}, cloud.las.get(), sink);
  const Cloud got = read_again(sink.bytes, {.format = PointFormat::las, .all_attributes = true, .las_records = true});
  if (got.las->records != cloud.las->records) report("records of LAS stay as they are", "other bytes");
  check_columns(columns_of(got), columns_of(cloud));
}

/// Runs a check of a writer, which may refuse what its format cannot hold.
template <class Check>
void run(Check&& check, const Cloud& cloud) try {
  check(cloud);
} catch (const Error& error) {
  check_error(error, k_max_message);
}

Cloud read_input(std::string_view bytes) {
  const PointFormat format = bytes.starts_with("ply")    ? PointFormat::ply
                             : bytes.starts_with("LASF") ? PointFormat::las
                                                         : PointFormat::text;
  Cloud cloud = read_bytes(bytes, {.format = format, .all_attributes = true, .las_records = true});
  // Of a 2-D cloud, an attribute z becomes a coordinate: tests have that. Attributes 1, 2 and 3 would make the choice of
  // all_with_axes() mean two things, which is refused.
  std::erase_if(cloud.attributes, [&](const Attribute& attribute) {
    return attribute.name == "1" || (cloud.points.dimensions == 2 && attribute.name == "z");
  });
  formats::give_meanings(cloud.attributes);
  return cloud;
}

}  // namespace
}  // namespace kann::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kann::fuzz;
  kann::Cloud cloud;
  try {
    cloud = read_input({reinterpret_cast<const char*>(data), size});
  } catch (const kann::Error&) {
    return 0;  // the targets of the readers check it
  }
  run(check_ply, cloud);
  run(check_csv, cloud);
  run(check_las, cloud);
  if (cloud.las) run(check_las_records, cloud);
  return 0;
}
