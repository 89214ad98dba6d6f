#include "cuda/queued_search.hpp"

#include <utility>

#include "cuda/exact/exact.hpp"
#include "cuda/query_rows.hpp"

namespace kann::cuda {

void queue_search(const Problem& p, const DataOnDevice& data, const DeviceQueries& queries) {
  if (p.query_count == 0) return;
  Workspace workspace(queries.stream, data.memory);
  QueriesInFrame placed(workspace.pool, queries.d_points, data.frame, p.is_rounded());
  const Buffer<bool> are_valid = std::move(placed.are_valid);
  SearchContext context(p, workspace, data.points, std::move(placed.points), std::move(placed.given), queries.d_ids,
                        queries.d_distances);
  queue_exact(context, data.indexes);
  finish_rows(context.rows(), p.query_count, are_valid.data(), data.d_rows, workspace.stream);
}

void queue_search_self(const Problem& p, const DataOnDevice& data, const DeviceQueries& to, std::int64_t rows) {
  if (rows == 0) return;
  Workspace workspace(to.stream, data.memory);
  const ResultRows wanted{to.d_ids, to.d_distances, p.k, p.unit};
  if (p.query_count == rows) {
    SearchContext context(p, workspace, data.points, {}, {}, to.d_ids, to.d_distances);
    queue_exact(context, data.indexes);
    return;
  }
  const Buffer<std::int32_t> ids(workspace.pool, p.query_count * p.k);
  const Buffer<float> distances(workspace.pool, p.query_count * p.k);
  SearchContext context(p, workspace, data.points, {}, {}, ids.data(), distances.data());
  if (p.query_count > 0) queue_exact(context, data.indexes);
  spread_rows(context.rows(), p.query_count, data.d_rows, wanted, rows, workspace.stream);
}

}  // namespace kann::cuda
