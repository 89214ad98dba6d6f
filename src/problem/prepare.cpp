#include "problem/prepare.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
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

/// A problem with checked parameters and everything but the coordinates of its queries.
/// @param queries the survey of these
Prepared with_data(std::shared_ptr<const PreparedData> prepared_data, Problem checked, const Survey& queries,
                   const SearchOptions& options, bool are_others) {
  const PreparedData& data = *prepared_data;
  Prepared out;
  Problem& p = out.problem = std::move(checked);
  p.threads = base::thread_count(options.threads);
  p.on_progress = options.on_progress;
  p.data_count = data.count();
  p.query_count = queries.valid;

  const std::string names = are_others ? data.name + " and " + options.query_name : data.name;
  out.width = check_width(data.survey, queries, names, p.dimensions);
  out.queries = queries;
  if (are_others) out.query_name = options.query_name;
  out.data_skipped = data.survey.invalid;
  out.query_skipped = queries.invalid;

  p.unit = 1 / data.frame.scale;
  p.grid = data.grid;
  p.box = data.box;
  p.unevenness = [&data] { return data.unevenness(); };
  p.data = data.in_frame();
  if (data.needs_given(queries.exact)) p.given_data = data.as_float64(p.threads);
  p.drop_self = !are_others && !options.include_self;
  out.data = std::move(prepared_data);
  return out;
}

/// Makes data points the queries, from valid point `first` on.
Prepared with_own_queries(Prepared prepared, std::int64_t first) {
  Problem& p = prepared.problem;
  p.first_query = first;
  p.queries = p.data + first * p.dimensions;
  if (p.given_data) p.given_queries = p.given_data + first * p.dimensions;
  return prepared;
}

}  // namespace

void check_dimensions(int data, const std::string& data_name, int queries, const std::string& query_name) {
  if (data != queries)
    throw Error(ErrorKind::bad_input, query_name + ": points have " + std::to_string(queries) + " coordinates (" +
                                          data_name + " has " + std::to_string(data) +
                                          "); --columns x,y takes two of both");
}

void check_sides(const SearchOptions& options, int dimensions, const std::string& data_name) {
  const std::int64_t numbers = std::ssize(options.periodic);
  const bool is_slanted = numbers > 3;
  if (numbers == 0 || numbers == dimensions || (is_slanted && dimensions == 3)) return;
  throw Error(ErrorKind::usage, "--periodic has " + (is_slanted ? "tilts" : std::to_string(numbers) + " sides") +
                                    ", but " + data_name + " has " + std::to_string(dimensions) +
                                    " coordinates per point (need " + (is_slanted ? "3)" : "a side for each)"));
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
  Problem checked = checked_parameters(data.points, data.name, queries, options);
  const Survey survey =
      query_points ? checked_survey(queries, options.query_name, options.invalid, base::thread_count(options.threads))
                   : data.survey;
  Prepared out = with_data(std::move(prepared_data), std::move(checked), survey, options, query_points.has_value());
  out.query_rows = valid_rows(queries, survey);
  Problem& p = out.problem;
  if (!query_points) return with_own_queries(std::move(out), 0);
  p.queries = to_frame(queries, out.query_rows, p.query_count, data.frame, p.threads, out.query_storage);
  if (p.given_data)
    p.given_queries = to_float64(queries, out.query_rows, p.query_count, p.threads, out.given_query_storage);
  return out;
}

Prepared prepare_own_rows(std::shared_ptr<const PreparedData> prepared_data, std::int64_t first, std::int64_t count,
                          const SearchOptions& options) {
  const PreparedData& data = *prepared_data;
  Problem checked = checked_parameters(data.points, data.name, data.points.part(first, first + count), options);
  const auto place_of = [&](std::int64_t row) {  // among the valid points
    return data.rows.empty() ? row : std::ranges::lower_bound(data.rows, row) - data.rows.begin();
  };
  const std::int64_t begin = place_of(first), end = place_of(first + count);
  Survey survey = data.survey;
  survey.valid = end - begin;
  survey.invalid = count - survey.valid;
  Prepared out = with_data(std::move(prepared_data), std::move(checked), survey, options, false);
  if (survey.invalid > 0)
    for (std::int64_t i = begin; i < end; ++i)
      out.query_rows.push_back(static_cast<std::int32_t>(data.rows[static_cast<std::size_t>(i)] - first));
  return with_own_queries(std::move(out), begin);
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

Problem exact_problem(const SurveyedData& data, std::int64_t k, std::optional<double> radius,
                      std::int64_t query_count) {
  constexpr double limit = 0x1p509;  // differences are less than k_max_width
  for (int a = 0; a < data.dimensions; ++a)
    if (!(data.survey.box.lo[a] > -limit && data.survey.box.hi[a] < limit))
      throw Error(ErrorKind::bad_input,
                  data.name + ": coordinates of 10^153 and more cannot be searched on a device; scale them down");
  SearchOptions options;
  options.k = k;
  options.radius = radius;
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
  const std::int64_t k = answer.k, grain = 1 << 14;
  const Array<std::int32_t>&rows = prepared.data->rows, &searched = prepared.query_rows;
  const int threads = prepared.problem.threads;
  const auto restore_ids = [&](std::int32_t* ids) {
    if (!rows.empty())
      for (std::int32_t& id : std::span(ids, static_cast<std::size_t>(k)))
        if (id != k_missing_id) id = rows[id];
  };
  if (prepared.query_skipped == 0) {
    if (!rows.empty())
      base::parallel_for(answer.queries, threads, [&](std::int64_t i) { restore_ids(answer.ids.data() + i * k); });
    return answer;
  }
  Neighbors out{query_count, k, {}, {}};
  out.ids.resize(static_cast<std::size_t>(query_count * k));
  out.distances.resize(static_cast<std::size_t>(query_count * k));
  base::parallel_chunks(query_count, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    auto next = std::ranges::lower_bound(searched, begin) - searched.begin();
    for (std::int64_t row = begin; row < end; ++row) {
      std::int32_t* const ids = out.ids.data() + row * k;
      float* const distances = out.distances.data() + row * k;
      if (next < std::ssize(searched) && searched[next] == row) {
        std::copy_n(answer.ids.begin() + next * k, k, ids);
        std::copy_n(answer.distances.begin() + next * k, k, distances);
        restore_ids(ids);
        ++next;
      } else {
        std::fill_n(ids, k, k_missing_id);
        std::fill_n(distances, k, std::numeric_limits<float>::infinity());
      }
    }
  });
  return out;
}

NeighborLists restore_lists(NeighborLists answer, const Prepared& prepared, std::int64_t query_count) {
  if (!prepared.data->rows.empty())
    base::parallel_for(std::ssize(answer.ids), prepared.problem.threads,
                       [&](std::int64_t i) { answer.ids[i] = prepared.data->rows[answer.ids[i]]; });
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
