#include "problem/prepare.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "kann/error.hpp"

#include "base/host_memory.hpp"
#include "base/parallel.hpp"
#include "problem/frame.hpp"
#include "problem/parameters.hpp"
#include "problem/sample.hpp"

namespace kann::problem {
namespace {

constexpr std::int64_t k_max_points = std::numeric_limits<std::int32_t>::max();

void check_count(const Points& points, const std::string& name) {
  if (points.dimensions != 2 && points.dimensions != 3)
    throw Error(ErrorKind::bad_input,
                name + ": points have " + std::to_string(points.dimensions) + " coordinates (need 2 or 3)");
  if (points.size() > k_max_points)
    throw Error(ErrorKind::usage, name + ": too many points (got " + std::to_string(points.size()) +
                                      ", this version takes " + std::to_string(k_max_points) + ")");
}

Survey checked_survey(const Points& points, const std::string& name, const SearchOptions& options, int threads) {
  Survey s = survey(points, threads);
  if (s.invalid > 0 && options.invalid == InvalidPoints::error)
    throw Error(ErrorKind::bad_input, name + ": " + std::to_string(s.invalid) + " of " + std::to_string(points.size()) +
                                          " points have NaN or infinite coordinates (first: " +
                                          std::to_string(s.first_invalid) + "); use --invalid skip");
  return s;
}

/// Coordinates of some of the data, as they were read.
std::vector<double> some_coordinates(const Points& data, const Array<std::int32_t>& rows, std::int64_t valid) {
  std::vector<double> sample;
  for (std::int64_t i = 0; i < geometry::sample_size(valid); ++i) {
    const std::int64_t place = geometry::sample_row(i, valid);
    for (int a = 0; a < data.dimensions; ++a) sample.push_back(data.at(rows.empty() ? place : rows[place], a));
  }
  return sample;
}

/// The rows of the valid points; empty when all are.
Array<std::int32_t> valid_rows(const Points& points, const Survey& s) {
  Array<std::int32_t> rows;
  if (s.invalid == 0) return rows;
  rows.reserve(static_cast<std::size_t>(s.valid));
  for (std::int64_t i = 0; i < points.size(); ++i)
    if (is_valid(points, i)) rows.push_back(static_cast<std::int32_t>(i));
  return rows;
}

/// Calls f(coordinates, row-major; i, row) for the i-th valid point and its row, for all of them.
template <class F>
void for_each_valid(const Points& points, const Array<std::int32_t>& rows, std::int64_t count, int threads, F&& f) {
  std::visit(
      [&](const auto& c) {
        base::parallel_for(count, threads, [&](std::int64_t i) { f(c.data(), i, rows.empty() ? i : rows[i]); });
      },
      points.coordinates);
}

/// The valid points in the frame: the input itself where nothing has to change, otherwise `storage`.
const float* to_frame(const Points& points, const Array<std::int32_t>& rows, std::int64_t count, const Frame& frame,
                      int threads, Array<float>& storage) {
  if (const auto* floats = std::get_if<Array<float>>(&points.coordinates);
      floats && frame.is_identity() && rows.empty())
    return floats->data();

  const int d = points.dimensions;
  storage.resize(static_cast<std::size_t>(count * d));
  for_each_valid(points, rows, count, threads, [&](const auto* c, std::int64_t i, std::int64_t row) {
    for (int a = 0; a < d; ++a) storage[i * d + a] = frame.apply(static_cast<double>(c[row * d + a]), a);
  });
  return storage.data();
}

/// The valid points as they were given, likewise.
const double* to_float64(const Points& points, const Array<std::int32_t>& rows, std::int64_t count, int threads,
                         Array<double>& storage) {
  if (const auto* doubles = std::get_if<Array<double>>(&points.coordinates); doubles && rows.empty())
    return doubles->data();

  const int d = points.dimensions;
  storage.resize(static_cast<std::size_t>(count * d));
  for_each_valid(points, rows, count, threads, [&](const auto* c, std::int64_t i, std::int64_t row) {
    for (int a = 0; a < d; ++a) storage[i * d + a] = static_cast<double>(c[row * d + a]);
  });
  return storage.data();
}

/// Squares of wider differences overflow in float64.
constexpr double k_max_width = 0x1p510;

double checked_width(const Survey& data, const Survey& queries, const std::string& names, int dimensions) {
  if (data.valid == 0 || queries.valid == 0) return 0;
  double width = 0;
  for (int a = 0; a < dimensions; ++a)
    width = std::max(width, std::max(data.box.hi[a], queries.box.hi[a]) - std::min(data.box.lo[a], queries.box.lo[a]));
  if (!(width < k_max_width))
    throw Error(ErrorKind::bad_input,
                names + ": wider than squared distances in float64 can be (10^153); scale down the coordinates");
  return width;
}

}  // namespace

Prepared prepare(const Points& data, const Points* query_points, const SearchOptions& options) {
  const Points& queries = query_points ? *query_points : data;
  const int threads = base::thread_count(options.threads);
  check_count(data, options.data_name);
  check_count(queries, options.query_name);
  if (data.dimensions != queries.dimensions)
    throw Error(ErrorKind::bad_input, options.query_name + ": points have " + std::to_string(queries.dimensions) +
                                          " coordinates (" + options.data_name + " has " +
                                          std::to_string(data.dimensions) + ")");

  Prepared out;
  Problem& p = out.problem;
  p.dimensions = data.dimensions;
  p.threads = threads;
  p.on_progress = options.on_progress;
  check_options(options);
  choose_parameters(options, p);
  base::check_result_size(queries.size(), p.k);

  const Survey data_survey = checked_survey(data, options.data_name, options, threads);
  const Survey query_survey =
      query_points ? checked_survey(queries, options.query_name, options, threads) : data_survey;
  out.data_rows = valid_rows(data, data_survey);
  out.query_rows = valid_rows(queries, query_survey);
  p.data_count = data_survey.valid;
  p.query_count = query_survey.valid;

  const std::string names = query_points ? options.data_name + " and " + options.query_name : options.data_name;
  out.width = checked_width(data_survey, query_survey, names, p.dimensions);
  out.data_skipped = data_survey.invalid;
  out.query_skipped = query_survey.invalid;
  if (out.data_skipped == 0 && out.query_skipped == 0 && !options.radius) p.on_rows = options.on_rows;

  const geometry::Box core =
      geometry::core_box(data_survey.box, some_coordinates(data, out.data_rows, p.data_count), p.dimensions);
  const Frame frame = choose_frame(data_survey, core, p.dimensions);
  p.unit = 1 / frame.scale;

  p.data = to_frame(data, out.data_rows, p.data_count, frame, threads, out.data_storage);
  p.queries =
      query_points ? to_frame(queries, out.query_rows, p.query_count, frame, threads, out.query_storage) : p.data;
  if (!frame.is_identity() || !data_survey.exact || !query_survey.exact) {
    p.given_data = to_float64(data, out.data_rows, p.data_count, threads, out.given_data_storage);
    p.given_queries = query_points
                          ? to_float64(queries, out.query_rows, p.query_count, threads, out.given_query_storage)
                          : p.given_data;
  }
  p.drop_self = !query_points && !options.include_self;

  const geometry::Box box = frame.apply(geometry::grid_box(data_survey.box, core, p.dimensions), p.dimensions);
  p.grid = p.dimensions == 3 ? geometry::grid_over<3>(box) : geometry::grid_over<2>(box);
  if (p.method == Method::exact) return out;
  if (p.searches_doubtful) p.doubt = doubt_rules(p, frame.rounding);
  p.sample = sample_of(p.query_count, k_sample_size);
  return out;
}

Neighbors restore_rows(Neighbors answer, const Prepared& prepared, std::int64_t query_count) {
  if (!prepared.data_rows.empty())
    for (std::int32_t& id : answer.ids)
      if (id != k_missing_id) id = prepared.data_rows[id];
  if (prepared.query_skipped == 0) return answer;

  const std::int64_t k = answer.k;
  Neighbors out{query_count, k, {}, {}};
  out.ids.assign(static_cast<std::size_t>(query_count * k), k_missing_id);
  out.distances.assign(static_cast<std::size_t>(query_count * k), std::numeric_limits<float>::infinity());
  for (std::int64_t i = 0; i < answer.queries; ++i) {
    std::copy_n(answer.ids.begin() + i * k, k, out.ids.begin() + prepared.query_rows[i] * k);
    std::copy_n(answer.distances.begin() + i * k, k, out.distances.begin() + prepared.query_rows[i] * k);
  }
  return out;
}

}  // namespace kann::problem
