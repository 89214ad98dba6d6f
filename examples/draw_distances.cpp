// How far a scan is from a map, in numbers and as a picture: draw_distances MAP SCAN OUT.png
//
// `kann` does the same: kann --data MAP --query SCAN -k 1 --stats --picture OUT.png
#include <cstdio>
#include <exception>
#include <fstream>
#include <kann/io.hpp>
#include <kann/render.hpp>
#include <kann/search.hpp>
#include <kann/statistics.hpp>
#include <stdexcept>
#include <string>

namespace {

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 4) {
    std::fprintf(stderr, "usage: draw_distances MAP SCAN OUT.png\n");
    return 2;
  }
  const kann::Points map = kann::read_points(arguments[1]).points;
  const kann::Points scan = kann::read_points(arguments[2]).points;
  kann::SearchOptions options;
  options.k = 1;
  const kann::Neighbors nearest = kann::search(map, scan, options).neighbors;

  const kann::RankStatistics distances = kann::distance_statistics(nearest, scan.dimensions).ranks.front();
  std::printf("%lld points: median distance %g, 95 %% within %g, all within %g\n",
              static_cast<long long>(distances.queries), distances.median, distances.p95, distances.max);

  // With k = 1, a distance per point. By default, the colours end at the 99th percentile of a sample.
  const kann::RenderResult drawn =
      kann::render(scan, nearest.distances, {.width = 800, .height = 600, .label = "distance to the map"});
  write_file(arguments[3], kann::png_bytes(drawn.image));
  if (drawn.outside + drawn.left_out > 0)
    std::printf("%lld far outliers and %lld points without a distance are not in the picture\n",
                static_cast<long long>(drawn.outside), static_cast<long long>(drawn.left_out));
} catch (const std::exception& error) {
  std::fprintf(stderr, "draw_distances: %s\n", error.what());
  return 1;
}
