#include "problem/prepare.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kann/error.hpp"

#include "base/host_memory.hpp"
#include "base/threads/parallel.hpp"
#include "problem/parameters.hpp"
#include "problem/sample.hpp"
#include "problem/valid_points.hpp"

namespace kann::problem {
namespace {

/// Refuses what check_request() does. Returns the parameters of the search.
Problem checked_parameters(const PointsView& data, const std::string& data_name, const PointsView& queries,
                           const SearchOptions& options) {
  check_count(data, data_name);
  check_count(queries, options.query_name);
  check_dimensions(data.dimensions, data_name, queries.dimensions, options.query_name);
  Problem p;
  p.dimensions = data.dimensions;
  check_options(options);
  check_sides(options, data.dimensions, data_name);
  choose_parameters(options, p);
  base::check_result_size(queries.size(), p.k);
  return p;
}

}  // namespace

void check_dimensions(int data, const std::string& data_name, int queries, const std::string& query_name) {
  if (data != queries)
    throw Error(ErrorKind::bad_input, query_name + ": points have " + std::to_string(queries) + " coordinates (" +
                                          data_name + " has " + std::to_string(data) +
                                          "); --columns x,y takes two of both");
}

void check_sides(const SearchOptions& options, int dimensions, const std::string& data_name) {
  if (!options.periodic.empty() && std::ssize(options.periodic) != dimensions)
    throw Error(ErrorKind::usage, "--periodic has " + std::to_string(options.periodic.size()) + " sides, but " +
                                      data_name + " has " + std::to_string(dimensions) +
                                      " coordinates per point (need a side for each)");
}

double common_width(const Survey& data, const Survey& queries, int dimensions) {
  if (data.valid == 0 || queries.valid == 0) return 0;
  double width = 0;
  for (int a = 0; a < dimensions; ++a)
    width = std::max(width, std::max(data.box.hi[a], queries.box.hi[a]) - std::min(data.box.lo[a], queries.box.lo[a]));
  return width;
}

double check_width(const Survey& data, const Survey& queries, const std::string& names, int dimensions) {
  const double width = common_width(data, queries, dimensions);
  if (!(width < k_max_width))
    throw Error(ErrorKind::bad_input,
                names + ": wider than squared distances in float64 can be (10^153); scale down the coordinates");
  return width;
}

void check_request(const PointsView& data, const std::string& data_name, const PointsView& queries,
                   const SearchOptions& options) {
  checked_parameters(data, data_name, queries, options);
}

Prepared prepare_queries(std::shared_ptr<const PreparedData> prepared_data,
                         const std::optional<PointsView>& query_points, const SearchOptions& options) {
  const PreparedData& data = *prepared_data;
  const PointsView& queries = query_points ? *query_points : data.points;
  const int threads = base::thread_count(options.threads);
  Prepared out;
  Problem& p = out.problem;
  p = checked_parameters(data.points, data.name, queries, options);
  p.threads = threads;
  p.on_progress = options.on_progress;

  const Survey survey =
      query_points ? checked_survey(queries, options.query_name, options.invalid, threads) : data.survey;
  out.query_rows = valid_rows(queries, survey);
  p.data_count = data.count();
  p.query_count = survey.valid;

  const std::string names = query_points ? data.name + " and " + options.query_name : data.name;
  out.width = check_width(data.survey, survey, names, p.dimensions);
  out.queries = survey;
  if (query_points) out.query_name = options.query_name;
  out.data_skipped = data.survey.invalid;
  out.query_skipped = survey.invalid;

  p.unit = 1 / data.frame.scale;
  p.grid = data.grid;
  p.box = data.box;
  p.unevenness = [&data] { return data.unevenness(); };
  p.data = data.in_frame();
  p.queries =
      query_points ? to_frame(queries, out.query_rows, p.query_count, data.frame, threads, out.query_storage) : p.data;
  if (data.needs_given(survey.exact)) {
    p.given_data = data.as_float64(threads);
    p.given_queries = query_points
                          ? to_float64(queries, out.query_rows, p.query_count, threads, out.given_query_storage)
                          : p.given_data;
  }
  p.drop_self = !query_points && !options.include_self;
  out.data = std::move(prepared_data);
  if (p.method == Method::exact) return out;
  if (p.searches_doubtful) p.doubt = doubt_rules(p, data.frame.rounding);
  p.sample = sample_of(p.query_count, k_sample_size);
  return out;
}

Prepared prepare(const PointsView& data, const std::optional<PointsView>& queries, const SearchOptions& options) {
  check_request(data, options.data_name, queries ? *queries : data, options);
  auto prepared =
      std::make_shared<PreparedData>(data, options.data_name, options.invalid, base::thread_count(options.threads));
  return prepare_queries(std::move(prepared), queries, options);
}

void check_device_queries(const PointsView& queries, const SurveyedData& data) {
  check_count(queries, "queries");
  if (queries.dimensions != data.dimensions)
    throw Error(ErrorKind::bad_input, "queries: points have " + std::to_string(queries.dimensions) + " coordinates (" +
                                          data.name + " has " + std::to_string(data.dimensions) + ")");
}

Problem exact_problem(const SurveyedData& data, std::int64_t k, std::int64_t query_count) {
  constexpr double limit = 0x1p509;  // differences are less than k_max_width
  for (int a = 0; a < data.dimensions; ++a)
    if (!(data.survey.box.lo[a] > -limit && data.survey.box.hi[a] < limit))
      throw Error(ErrorKind::bad_input,
                  data.name + ": coordinates of 10^153 and more cannot be searched on a device; scale them down");
  SearchOptions options;
  options.k = k;
  options.method = Method::exact;
  check_options(options);
  Problem p;
  p.dimensions = data.dimensions;
  choose_parameters(options, p);
  p.data_count = data.count();
  p.query_count = query_count;
  p.unit = 1 / data.frame.scale;
  p.grid = data.grid;
  p.box = data.box;
  return p;
}

Neighbors restore_rows(Neighbors answer, const Prepared& prepared, std::int64_t query_count) {
  if (!prepared.data->rows.empty())
    for (std::int32_t& id : answer.ids)
      if (id != k_missing_id) id = prepared.data->rows[id];
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

NeighborLists restore_lists(NeighborLists answer, const Prepared& prepared, std::int64_t query_count) {
  if (!prepared.data->rows.empty())
    for (std::int32_t& id : answer.ids) id = prepared.data->rows[id];
  if (answer.begins.empty()) answer.begins.assign(1, 0);  // no query was searched
  if (prepared.query_skipped == 0) return answer;

  Array<std::int64_t> begins(static_cast<std::size_t>(query_count + 1));
  std::int64_t next = 0;  // the first query that was searched, of those from `row` on
  for (std::int64_t row = 0; row < query_count; ++row) {
    begins[row] = answer.begins[next];
    if (next < std::ssize(prepared.query_rows) && prepared.query_rows[next] == row) ++next;
  }
  begins[query_count] = answer.begins.back();
  answer.begins = std::move(begins);
  return answer;
}

}  // namespace kann::problem
