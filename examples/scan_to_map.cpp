// How far each scan is from a map: scan_to_map MAP SCAN…
//
// The index keeps what the searches need of the map, so that only the first scan waits for it. `kann` does the same:
// kann --data MAP --query SCAN… -k 1
#include <cmath>
#include <cstdio>
#include <exception>
#include <kann/index.hpp>
#include <kann/io.hpp>

int main(int count, char** arguments) try {
  if (count < 3) {
    std::fprintf(stderr, "usage: scan_to_map MAP SCAN...\n");
    return 2;
  }
  const kann::Points map = kann::read_points(arguments[1]).points;
  const kann::Index index(map);  // a view: the map must outlive it
  kann::SearchOptions options;
  options.k = 1;
  for (int i = 2; i < count; ++i) {
    const kann::Points scan = kann::read_points(arguments[i]).points;
    const kann::Neighbors nearest = index.search(scan, options).neighbors;
    double sum = 0;
    for (const float distance : nearest.distances) sum += static_cast<double>(distance) * distance;
    std::printf("%s: %lld points, root mean square distance %.6g\n", arguments[i],
                static_cast<long long>(nearest.queries), std::sqrt(sum / static_cast<double>(nearest.queries)));
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "scan_to_map: %s\n", error.what());
  return 1;
}
