// Which points of a scan are noise, as an attribute `outlier` of 0 or 1: flag_outliers SCAN OUT.ply
//
// `kann` does the same: kann --data SCAN --outliers 16,2 -o OUT.ply
#include <cstdio>
#include <exception>
#include <kann/cloud_file.hpp>
#include <kann/io.hpp>
#include <kann/outliers.hpp>
#include <kann/search.hpp>
#include <utility>

int main(int count, char** arguments) try {
  if (count != 3) {
    std::fprintf(stderr, "usage: flag_outliers SCAN OUT.ply\n");
    return 2;
  }
  kann::Cloud scan = kann::read_points(arguments[1], {.all_attributes = true});
  kann::CloudFile file(arguments[2], kann::CloudFormat::ply, false);

  kann::SearchOptions options;
  options.k = 16;
  options.invalid = kann::InvalidPoints::skip;  // points with NaN have no neighbours, and thus are outliers
  const kann::Neighbors neighbors = kann::search_self(scan.points, options).neighbors;
  kann::OutlierResult found = kann::find_outliers(neighbors, {.k = 16, .sigma = 2});

  scan.attributes.push_back({"outlier", std::move(found.is_outlier)});
  file.write(scan.points, scan.attributes);
  file.commit();
  std::printf("%lld of %lld points are outliers: no neighbours, or a mean distance above %g\n",
              static_cast<long long>(found.outliers), static_cast<long long>(scan.points.size()), found.threshold);
} catch (const std::exception& error) {
  std::fprintf(stderr, "flag_outliers: %s\n", error.what());
  return 1;
}
