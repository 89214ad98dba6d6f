// Reads a cloud with all its attributes and writes it again, for tests/scripts/clouds_test.py:
// kann_cloud_roundtrip INPUT FORMAT OUTPUT [records]. With `records`, LAS records are written as they stand, and the
// attributes that are added are x, as `twice`, and the number of the point, as `number`.
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "kann/cloud_file.hpp"
#include "kann/error.hpp"
#include "kann/io.hpp"

int main(int argc, char** argv) try {
  const auto format = argc > 3 ? kann::cloud_format(argv[2]) : std::nullopt;
  if (!format) {
    std::fprintf(stderr, "usage: kann_cloud_roundtrip INPUT FORMAT OUTPUT [records]\n");
    return 2;
  }
  const bool keep_records = argc > 4 && std::string_view(argv[4]) == "records";
  kann::Cloud cloud = kann::read_points(argv[1], {.all_attributes = !keep_records, .las_records = keep_records});
  if (keep_records) {
    kann::Array<double> twice;
    kann::Array<std::int64_t> number;
    for (std::int64_t i = 0; i < cloud.points.size(); ++i) {
      twice.push_back(2 * cloud.points.at(i, 0));
      number.push_back(i);
    }
    cloud.attributes.push_back({"twice", std::move(twice)});
    cloud.attributes.push_back({"number", std::move(number)});
  }
  for (const std::string& warning : cloud.warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  kann::CloudFile file(argv[3], *format, true);
  file.write(cloud.points, cloud.attributes, cloud.las.get());
  file.commit();
  return 0;
} catch (const kann::Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return error.exit_code();
}
