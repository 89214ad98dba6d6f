// Includes every public header of the installed package, and searches four points on a line.
#include <cstdio>
#include <kann/accuracy.hpp>
#include <kann/array.hpp>
#include <kann/error.hpp>
#include <kann/io.hpp>
#include <kann/neighbors.hpp>
#include <kann/points.hpp>
#include <kann/search.hpp>

int main() {
  const kann::Points line{2, kann::Array<float>{0, 0, 1, 0, 3, 0, 7, 0}};
  kann::SearchOptions options;
  options.k = 1;
  const kann::SearchResult result = kann::search_self(line, options);
  const kann::Array<std::int32_t> expected{1, 0, 1, 2};

  kann::AccuracyOptions judge;
  judge.self_query = true;
  const bool right = result.neighbors.ids == expected && result.neighbors.distances[3] == 4.0f &&
                     kann::measure_accuracy(line, line, result.neighbors, judge).recall == 1 &&
                     kann::point_format("ply") == kann::PointFormat::ply;
  std::printf("%s on %s\n", right ? "right" : "wrong", result.report.device.name.c_str());
  return right ? 0 : 1;
}
