#include "products/accuracy/judge_sample.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"
#include "products/accuracy/accuracy_of_blocks.hpp"
#include "products/accuracy/judged_rows.hpp"

namespace kann::accuracy {

Accuracy judge_sample(const SampledRows& rows, std::vector<NumberedPoint> points, const CloudFacts& of_all,
                      const AccuracyOptions& given) {
  const auto by_row = [](const NumberedPoint& a, const NumberedPoint& b) { return a.row < b.row; };
  const auto is_same = [](const NumberedPoint& a, const NumberedPoint& b) { return a.row == b.row; };
  std::ranges::sort(points, by_row);
  points.erase(std::unique(points.begin(), points.end(), is_same), points.end());
  if (points.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw Error(ErrorKind::resources, "accuracy: the sample needs " + std::to_string(points.size()) +
                                          " points of the data (at most 2147483647 at once); take a smaller one");

  const int d = rows.queries.dimensions;
  std::vector<std::int64_t> data_rows;
  data_rows.reserve(points.size());
  Array<double> coordinates;
  coordinates.reserve(points.size() * static_cast<std::size_t>(d));
  for (const NumberedPoint& point : points) {
    data_rows.push_back(point.row);
    coordinates.insert(coordinates.end(), point.point.begin(), point.point.begin() + d);
  }
  points = {};

  const Points data{d, std::move(coordinates)};
  const PartOfClouds part{data_rows, rows.numbers};
  const std::int64_t n = rows.queries.size();
  const Neighbors neighbors{n, rows.k, part.places_of(rows.ids, rows.k, base::thread_count(given.threads)),
                            Array<float>(rows.distances.begin(), rows.distances.end())};
  AccuracyOptions options = given;
  options.sample = 0;
  AccuracyOfBlocks block(of_all, d, n, options);
  block.add({data, rows.queries, neighbors, nullptr, &part});
  return block.result();
}

double sample_bytes_per_query(std::int64_t k) {
  const double points = 2.0 * static_cast<double>(k) + 1;  // nearest points, named points, and the query itself
  // First the row and the coordinates of the query. Each point is then stored as it was found, in the list of all
  // points (twice more while that is sent and joined), and in the cloud of the judge
  return 12.0 * static_cast<double>(k) + 64 + points * (sizeof(FoundPoint) + 3 * sizeof(NumberedPoint) + 100);
}

}  // namespace kann::accuracy
