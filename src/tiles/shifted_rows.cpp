#include "tiles/shifted_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "base/parallel.hpp"
#include "geometry/distance.hpp"
#include "problem/sample.hpp"
#include "tiles/shift_records.hpp"
#include "tiles/shifts/point_picker.hpp"
#include "tiles/shifts/window_search.hpp"
#include "tiles/tile_rows.hpp"

namespace kann::tiles {
namespace {

template <class T, int D>
double sq_distance_as_given(const T* query, const T* point) {
  double q[D], p[D];
  std::copy_n(query, D, q);
  std::copy_n(point, D, p);
  return geometry::sq_distance<D>(q, p);
}

/// The rows of the queries that problem::prepare() takes for the sample.
std::vector<std::int64_t> sampled_rows(const PointSource& queries, const problem::Survey& survey, std::int64_t most) {
  std::vector<std::int64_t> numbers = problem::sample_numbers(survey.valid, problem::k_sample_size);
  if (survey.invalid == 0) return numbers;
  PointPicker picker(std::move(numbers));
  queries.for_each_block(0, queries.size(), most,
                         [&](std::int64_t row, const PointsView& block) { picker.add(row, block, block.size()); });
  std::vector<std::int64_t> rows;
  for (const PickedPoint& picked : picker.picked()) rows.push_back(picked.row);
  return rows;
}

/// Counts what write_row() writes.
void count(const problem::Problem& p, const NearestSeen& seen, RowCounts& counts) {
  std::int64_t given = 0;
  const auto size = std::min(static_cast<std::size_t>(p.k), seen.points.size());
  for (std::size_t i = 0; i < size; ++i) {
    if (!seen.points[i].is_given()) continue;
    ++given;
    counts.past_float32 += std::isinf(written_distance(p, seen.sq_dists[i]));
  }
  counts.neighbors += given;
  counts.full_rows += given == p.k;
}

}  // namespace

template <class T, int D>
ShiftedRows<T, D>::ShiftedRows(const problem::Problem& p, std::int64_t data_rows, const PointSource& queries,
                               const problem::Survey& survey, double width, const TileOptions& options,
                               comm::Communicator& ranks)
    : p_(p),
      may_overflow_(2 * width > std::numeric_limits<float>::max()),
      options_(options),
      ranks_(ranks),
      rows_(ranks, options.folder, queries.size(), p.k, options.sizes.block_rows,
            data_rows > std::numeric_limits<std::int32_t>::max(), options.sizes.chunk_bytes, p.threads),
      sample_(sampled_rows(queries, survey, options.sizes.read_points)),
      exact_(options.folder, 1, options.sizes.chunk_bytes),
      batch_(ShiftRecords<T, D>::k_new_query_bytes, p.threads) {}

template <class T, int D>
void ShiftedRows<T, D>::look_at_sample(int shift, const ShiftTile<T, D>& tile, ShiftQueries<T, D>& queries) {
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const ShiftQuery<T, D>& query = queries[i];
    if (!sample_.has(query.row)) continue;
    std::vector<std::int64_t> seen;
    for (const SeenPoint& point : queries.seen(i).points) seen.push_back(point.row());
    std::ranges::sort(seen);
    const geometry::Window window = window_of(p_, tile, shift_key<D>(p_, shift, query.in_frame));
    for (std::int64_t at = window.begin; at < window.end; ++at) {
      const ShiftPoint<T, D>& point = tile.points[static_cast<std::size_t>(at - tile.first)];
      if (std::ranges::binary_search(seen, point.key.row))
        sample_.saw(query.row, point.key.row, sq_distance_as_given<T, D>(query.given, point.given));
    }
  }
}

template <class T, int D>
void ShiftedRows<T, D>::finish(ShiftQueries<T, D>& queries) {
  const auto k = static_cast<std::size_t>(p_.k);
  std::vector<std::int64_t> numbers(queries.size());
  std::vector<std::uint8_t> finished(queries.size());
  const bool is_counted = may_overflow_ || options_.search.radius;
  std::vector<RowCounts> parts(static_cast<std::size_t>(p_.threads));
  base::parallel_blocks(std::ssize(queries), p_.threads, [&](int part, std::int64_t begin, std::int64_t end) {
    RowCounts counts;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      numbers[i] = queries[i].row;
      finished[i] = !is_doubtful(p_, queries[i], queries.seen(i));
      if (finished[i] && is_counted) count(p_, queries.seen(i), counts);
    }
    parts[static_cast<std::size_t>(part)] = counts;
  });
  for (const RowCounts& part : parts) counts_.add(part);
  rows_.add(numbers, finished, [&](std::size_t i, std::span<std::int64_t> ids, std::span<float> distances) {
    write_row(p_, queries.seen(i), ids, distances);
  });
  const bool may_be_short = !p_.searches_doubtful && p_.k <= p_.data_count - (p_.drop_self ? 1 : 0);
  std::vector<std::int64_t> ids(k);
  std::vector<float> distances(k);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    doubtful_ += !finished[i];
    short_rows_ += may_be_short && queries.seen(i).points[k - 1].is_none();
    if (!sample_.has(numbers[i])) continue;
    if (!finished[i]) {
      sample_.set_doubtful(numbers[i]);
      continue;
    }
    write_row(p_, queries.seen(i), ids, distances);
    sample_.set_row(numbers[i], ids);
  }
  batch_.make(
      std::ssize(queries), 1,
      [&](std::int64_t query) {
        const auto i = static_cast<std::size_t>(query);
        return finished[i] && !sample_.has(numbers[i]) ? comm::RecordBatch::k_nowhere : 0;
      },
      [&](std::int64_t query, std::span<std::byte> record) {
        const auto i = static_cast<std::size_t>(query);
        ShiftRecords<T, D>::write_new(numbers[i], queries[i].given, record);
      });
  batch_.for_each_group([&](std::uint32_t, std::span<const std::byte> records) { exact_.append(0, records); });
}

template <class T, int D>
TileAnswer ShiftedRows<T, D>::search_exactly(const PointSource& data, const PointSource* queries,
                                             const TileReport& shifts) {
  sample_.share(ranks_);
  std::vector<std::uint8_t> in_result;
  std::vector<double> sq_dists;
  const auto take_rows = [&](const PointsView&, std::span<const std::int64_t> some, std::span<const TileNeighbor> rows,
                             std::span<const std::uint8_t> finished) {
    const auto k = static_cast<std::size_t>(p_.k);
    in_result.assign(finished.begin(), finished.end());
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (!finished[i] || !sample_.has(some[i])) continue;
      sq_dists.clear();
      for (const TileNeighbor& neighbor : rows.subspan(i * k, k))
        if (is_given(neighbor)) sq_dists.push_back(neighbor.sq_dist);
      sample_.compare(some[i], sq_dists);
      in_result[i] = sample_.is_doubtful(some[i]);
    }
    rows_.add(some, rows, in_result);
  };
  const std::string& name = (queries ? *queries : data).name();
  TileReport report =
      exact_rows(data, {exact_, name, sizeof(T) == sizeof(double), p_.drop_self}, options_, ranks_, take_rows);
  rows_.deliver();

  SearchReport& last = report.last;
  last.method = Method::shifted_sort;
  last.shifts = p_.shifts;
  last.window = p_.window;
  last.bits = p_.bits;
  last.doubtful = ranks_.sum(doubtful_);
  last.sample = sample_.result(ranks_);
  report.short_rows = ranks_.sum(short_rows_);
  counts_.add(rows_.counts());
  report.rows = {ranks_.sum(counts_.neighbors), ranks_.sum(counts_.full_rows),
                 may_overflow_ ? ranks_.sum(counts_.past_float32) : 0};
  report.data = shifts.data;
  report.query = shifts.query;
  report.survey_seconds += shifts.survey_seconds;
  report.order_seconds += shifts.order_seconds;
  report.search_seconds += shifts.search_seconds;
  const auto sum = [&](std::uint64_t own) {
    return static_cast<std::uint64_t>(ranks_.sum(static_cast<std::int64_t>(own)));
  };
  report.sent_bytes += shifts.sent_bytes + sum(rows_.sent_bytes());
  report.temporary_bytes =
      std::max(report.temporary_bytes, shifts.temporary_bytes) + sum(exact_.file_bytes() + rows_.file_bytes());
  return {std::move(rows_), report};
}

template class ShiftedRows<float, 2>;
template class ShiftedRows<float, 3>;
template class ShiftedRows<double, 2>;
template class ShiftedRows<double, 3>;

}  // namespace kann::tiles
