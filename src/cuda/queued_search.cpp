#include "cuda/queued_search.hpp"

#include <cstdint>
#include <optional>
#include <utility>

#include "cuda/exact/exact.hpp"
#include "cuda/query_rows.hpp"

namespace kann::cuda {

namespace {

/// Calls search() with rows like `to`: those, or rows of its own that are copied there, if kernels store 16 bytes at a
/// time and cannot do so there.
template <class Search>
void with_aligned_rows(Pool& pool, const ResultRows& to, std::int64_t count, Search search) {
  const auto addresses = reinterpret_cast<std::uintptr_t>(to.d_ids) | reinterpret_cast<std::uintptr_t>(to.d_distances);
  const bool stores_16_bytes = to.k <= exact::k_max_cell_list || to.k % 4 == 0;
  if (!stores_16_bytes || addresses % 16 == 0) return search(to);
  const Buffer<std::int32_t> ids(pool, count * to.k);
  const Buffer<float> distances(pool, count * to.k);
  search(ResultRows{ids.data(), distances.data(), to.k, to.unit});
  const auto bytes = static_cast<std::size_t>(count * to.k) * sizeof(float);
  check(cudaMemcpyAsync(to.d_ids, ids.data(), bytes, cudaMemcpyDeviceToDevice, pool.stream()), "ids");
  check(cudaMemcpyAsync(to.d_distances, distances.data(), bytes, cudaMemcpyDeviceToDevice, pool.stream()), "distances");
}

/// Queues the removal of neighbours that are farther than the radius, if there is one.
void shorten(const SearchContext& context, const std::optional<double>& radius) {
  const Problem& p = context.problem;
  if (!radius || p.query_count == 0) return;
  const ResultRows rows = context.rows();
  if (p.is_rounded())
    keep_within(rows, p.query_count, *radius, p.dimensions, context.d_given_data(), context.d_given_queries(),
                context.stream);
  else
    keep_within(rows, p.query_count, *radius, p.dimensions, context.d_data(), context.d_queries(), context.stream);
}

/// Queues empty rows, if these are lists.
void queue_empty(const DeviceQueries& to, std::int64_t rows) {
  if (!to.lists.begins) return;
  const auto bytes = static_cast<std::size_t>(rows + 1) * sizeof(std::int64_t);
  check(cudaMemsetAsync(to.lists.begins, 0, bytes, to.stream), "begins of rows");
}

ListsOnDevice list_target(const DeviceLists& lists) {
  return {lists.begins, lists.ids, lists.distances, lists.capacity, lists.are_counted};
}

}  // namespace

void queue_search(const Problem& p, const DataOnDevice& data, const DeviceQueries& queries) {
  if (p.query_count == 0) return queue_empty(queries, 0);
  Workspace workspace(queries.stream, data.memory);
  QueriesInFrame placed(workspace.pool, queries.d_points, data.frame, p.is_rounded());
  const Buffer<bool> are_valid = std::move(placed.are_valid);
  if (p.list_radius) {
    ListsOnDevice lists = list_target(queries.lists);
    lists.d_are_valid = are_valid.data();
    lists.d_names = data.d_rows;
    SearchContext context(p, workspace, data.points, std::move(placed.points), std::move(placed.given), nullptr,
                          nullptr);
    context.to_lists = &lists;
    return queue_exact(context, data.indexes, queries.groups);
  }
  const ResultRows wanted{queries.d_ids, queries.d_distances, p.k, p.unit};
  with_aligned_rows(workspace.pool, wanted, p.query_count, [&](const ResultRows& rows) {
    SearchContext context(p, workspace, data.points, std::move(placed.points), std::move(placed.given), rows.d_ids,
                          rows.d_distances);
    queue_exact(context, data.indexes, queries.groups);
    shorten(context, queries.radius);
    finish_rows(rows, p.query_count, are_valid.data(), data.d_rows, workspace.stream);
  });
}

namespace {

/// Queues the lists of the data themselves. `rows` as below.
void queue_lists_of_data(const Problem& p, const DataOnDevice& data, const DeviceQueries& to, std::int64_t rows) {
  Workspace workspace(to.stream, data.memory);
  ListsOnDevice lists = list_target(to.lists);
  lists.d_names = data.d_rows;
  const bool are_all = p.query_count == rows;
  const Buffer<std::int64_t> begins(workspace.pool, are_all ? 0 : p.query_count + 1);
  if (!are_all) lists.d_begins = begins.data();
  if (!are_all && lists.are_counted)
    gather_begins(to.lists.begins, rows, data.d_rows, begins.data(), p.query_count, workspace.stream);
  SearchContext context(p, workspace, data.points, {}, {}, nullptr, nullptr);
  context.to_lists = &lists;
  queue_exact(context, data.indexes);
  if (!are_all && !lists.are_counted)
    spread_begins(begins.data(), p.query_count, data.d_rows, to.lists.begins, rows, workspace.stream);
}

}  // namespace

void queue_search_self(const Problem& p, const DataOnDevice& data, const DeviceQueries& to, std::int64_t rows) {
  if (rows == 0 || (p.list_radius && p.query_count == 0)) return queue_empty(to, rows);
  if (p.list_radius) return queue_lists_of_data(p, data, to, rows);
  Workspace workspace(to.stream, data.memory);
  const ResultRows wanted{to.d_ids, to.d_distances, p.k, p.unit};
  const auto queue = [&](const ResultRows& own) {
    SearchContext context(p, workspace, data.points, {}, {}, own.d_ids, own.d_distances);
    if (p.query_count > 0) queue_exact(context, data.indexes);
    shorten(context, to.radius);
  };
  if (p.query_count == rows) return with_aligned_rows(workspace.pool, wanted, rows, queue);
  const Buffer<std::int32_t> ids(workspace.pool, p.query_count * p.k);
  const Buffer<float> distances(workspace.pool, p.query_count * p.k);
  const ResultRows own{ids.data(), distances.data(), p.k, p.unit};
  queue(own);
  spread_rows(own, p.query_count, data.d_rows, wanted, rows, workspace.stream);
}

}  // namespace kann::cuda
