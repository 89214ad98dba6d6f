#include "search/warnings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>

#include "geometry/periodic_box.hpp"

namespace kann::detail {
namespace {

using Warning = std::optional<std::string>;

Warning about_missing(const AskedRows& asked) {
  const std::int64_t available = asked.data.valid - (asked.drop_self ? 1 : 0);
  if (asked.queries.valid == 0 || asked.k <= available) return {};
  const std::string count = std::to_string(asked.data.valid) + (asked.data.invalid > 0 ? " valid point" : " point") +
                            (asked.data.valid == 1 ? "" : "s");
  return "k=" + std::to_string(asked.k) + " but " + asked.data_name + " has " + count +
         (asked.drop_self ? ", the query itself among them" : "") + "; missing neighbours are id -1, distance inf";
}

/// The length of the diagonal of a box.
double diagonal(const geometry::Box& box, int dimensions) {
  double sum = 0;
  for (int a = 0; a < dimensions; ++a) sum += (box.hi[a] - box.lo[a]) * (box.hi[a] - box.lo[a]);
  return std::sqrt(sum);
}

/// The distance between two boxes; 0 if they meet.
double gap(const geometry::Box& one, const geometry::Box& other, int dimensions) {
  double sum = 0;
  for (int a = 0; a < dimensions; ++a) {
    const double apart = std::max({0.0, one.lo[a] - other.hi[a], other.lo[a] - one.hi[a]});
    sum += apart * apart;
  }
  return std::sqrt(sum);
}

constexpr std::string_view k_units = "; are they in the same unit and coordinate system?";

bool are_two_clouds(const AskedRows& asked) {
  return !asked.query_name.empty() && !asked.is_wrapped && asked.data.valid > 0 && asked.queries.valid > 0;
}

/// Warns if the boxes of the clouds are far apart. Parts of one cloud that lie side by side, and a few points beside a
/// cloud, give no warning unless they are far away.
Warning about_gap(const AskedRows& asked) {
  if (!are_two_clouds(asked)) return {};
  const int d = asked.dimensions;
  const double apart = gap(asked.data.box, asked.queries.box, d);
  const double sides[] = {diagonal(asked.data.box, d), diagonal(asked.queries.box, d)};
  constexpr std::int64_t few = 16;
  const bool are_few = std::min(asked.data.valid, asked.queries.valid) < few || std::min(sides[0], sides[1]) == 0;
  constexpr double side_by_side = 0.1;
  const double least = (are_few ? 1 : side_by_side) * std::max(sides[0], sides[1]);
  if (!(apart > least) || std::max(sides[0], sides[1]) == 0) return {};
  char distance[32];
  std::snprintf(distance, sizeof distance, "%.4g", apart);
  return "the boxes around " + asked.data_name + " and " + asked.query_name + " do not meet: they are " + distance +
         " apart" + std::string(k_units);
}

/// Warns if the clouds are apart, or nearly all queries are far from the data, judged by some of their distances.
Warning about_place(const AskedRows& asked, std::span<const float> first) {
  if (const Warning apart = about_gap(asked)) return apart;
  if (!are_two_clouds(asked)) return {};
  const double width = diagonal(asked.data.box, asked.dimensions);
  if (width == 0 || diagonal(asked.queries.box, asked.dimensions) <= width) return {};
  constexpr double nearly_all = 0.95;
  const auto known = std::ranges::count_if(first, [](float d) { return d != FirstDistances::k_none; });
  const auto far = std::ranges::count_if(first, [&](float d) { return static_cast<double>(d) > width; });
  if (known == 0 || static_cast<double>(far) < nearly_all * static_cast<double>(known)) return {};
  return "nearly all points of " + asked.query_name + " are farther from " + asked.data_name + " than this is wide" +
         std::string(k_units);
}

AskedRows asked_rows(const problem::Prepared& prepared) {
  const problem::Problem& p = prepared.problem;
  if (!prepared.data) return {p.k, p.dimensions, {}, {}, p.drop_self, "", "", false};
  return {p.k,         p.dimensions,        prepared.data->survey, prepared.queries,
          p.drop_self, prepared.data->name, prepared.query_name,   false};
}

Warning about_window(const problem::Problem& p, std::int64_t count) {
  if (count == 0) return {};
  return "--window " + std::to_string(p.window) + " is too narrow for k=" + std::to_string(p.k) + ": " +
         (count == 1 ? "1 row has" : std::to_string(count) + " rows have") +
         " fewer neighbours; missing ones are id -1, distance inf";
}

Warning about_overflow(std::int64_t count) {
  if (count == 0) return {};
  if (count == 1) return "1 distance is larger than float32 can hold and is written as inf";
  return std::to_string(count) + " distances are larger than float32 can hold and are written as inf";
}

/// The default windows have recall .97 on most clouds; the recall of a sample varies by about .005.
constexpr double k_low_recall = 0.95;

Warning about_recall(const Sample& sample) {
  const std::optional<double>& recall = sample.recall;
  if (!recall || *recall >= k_low_recall) return {};
  char text[16];
  std::snprintf(text, sizeof text, "%.4f", *recall);
  return std::string("the approximate answer has recall ") + text + " (of " + std::to_string(sample.queries) +
         " queries, searched exactly); a wider --window finds more, --exact all";
}

std::vector<std::string> present(std::initializer_list<Warning> warnings) {
  std::vector<std::string> texts;
  for (const Warning& warning : warnings)
    if (warning) texts.push_back(*warning);
  return texts;
}

}  // namespace

std::int64_t rows_cut_by_window(const problem::Problem& p, const Neighbors& rows) {
  if (p.method == Method::exact || p.k > p.data_count - (p.drop_self ? 1 : 0)) return 0;
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < rows.queries; ++row) count += rows.ids[(row + 1) * p.k - 1] == k_missing_id;
  return count;
}

std::vector<std::string> warnings_about(const problem::Prepared& prepared, const SearchResult& result,
                                        std::int64_t short_rows) {
  const bool may_overflow = 2 * prepared.width > std::numeric_limits<float>::max();  // the diagonal is shorter
  const AskedRows asked = asked_rows(prepared);
  FirstDistances first(result.neighbors.queries);
  first.add(0, result.neighbors);
  return present({about_missing(asked), about_place(asked, first.distances()),
                  about_window(prepared.problem, short_rows),
                  may_overflow ? about_overflow(distances_past_float32(result.neighbors)) : Warning(),
                  about_recall(result.report.sample)});
}

std::int64_t distances_past_float32(const Neighbors& rows) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < rows.ids.size(); ++i)
    count += rows.ids[i] != k_missing_id && std::isinf(rows.distances[i]);
  return count;
}

std::vector<std::string> row_warnings(const AskedRows& asked, std::int64_t past_float32, std::span<const float> first) {
  return present({about_missing(asked), about_place(asked, first), about_overflow(past_float32)});
}

double far_distance(const SearchOptions& options) {
  const bool has_far = !options.periodic.empty() && !options.radius && options.images == Images::nearest;
  constexpr double rounded = 1 + 0x1p-20;  // a neighbour half a side away has an image as far, and no nearer one
  return has_far ? rounded * geometry::PeriodicBox(options.periodic).shortest() / 2
                 : std::numeric_limits<double>::infinity();
}

std::int64_t far_rows(const SearchOptions& options, const Neighbors& rows) {
  const double far = far_distance(options);
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < rows.queries && !std::isinf(far); ++row) {
    const auto [begin, end] = static_cast<Rows>(rows).row(row);
    count += begin < end && rows.distances[end - 1] > far;
  }
  return count;
}

void warn_of_far_rows(const SearchOptions& options, std::int64_t rows, std::vector<std::string>& warnings) {
  if (rows == 0) return;
  const std::string count = rows == 1 ? "1 row has a neighbour" : fmt::format("{} rows have neighbours", rows);
  warnings.push_back(fmt::format(
      "--periodic: {} farther than half of {:.6g}, after which the box repeats: a point is a neighbour once, by its "
      "nearest image, and others that are as near are left out; --images all has them",
      count, geometry::PeriodicBox(options.periodic).shortest()));
}

}  // namespace kann::detail
