#include "cuda/runtime/search_context.hpp"

#include <algorithm>
#include <chrono>

#include "base/seconds_since.hpp"
#include "base/threads/one_behind.hpp"

namespace kann::cuda {

SearchContext::SearchContext(const Problem& p, Workspace& workspace, const ResidentPoints& resident)
    : problem(p),
      stream(workspace.stream),
      pool(workspace.pool),
      timer(stream),
      mapped(workspace.mapped),
      data(resident),
      ids(pool, p.query_count * p.k),
      distances(pool, p.query_count * p.k) {
  if (!data.d_points) {
    data_points = upload(p.data, p.data_count);
    data.d_points = data_points.data();
  }
  if (p.is_rounded() && !data.d_given) {
    given_data = upload(p.given_data, p.data_count);
    data.d_given = given_data.data();
  }
  if (!p.queries_are_data()) {
    queries = upload(p.queries, p.query_count);
    if (p.is_rounded()) given_queries = upload(p.given_queries, p.query_count);
  }
  timer.lap(steps.upload);
}

SearchContext::SearchContext(const Problem& p, Workspace& workspace, const ResidentPoints& resident,
                             Buffer<float> placed_queries, Buffer<double> queries_as_given, std::int32_t* d_ids,
                             float* d_distances)
    : problem(p),
      stream(workspace.stream),
      pool(workspace.pool),
      timer(stream, false),
      mapped(workspace.mapped),
      data(resident),
      queries(std::move(placed_queries)),
      given_queries(std::move(queries_as_given)),
      ids(Buffer<std::int32_t>::unowned(d_ids, p.query_count * p.k)),
      distances(Buffer<float>::unowned(d_distances, p.query_count * p.k)) {}

void SearchContext::upload_given_data(const double* from) {
  given_data = upload(from, problem.data_count);
  data.d_given = given_data.data();
}

/// A copy of `count` points on the device. Blocks until they have been read.
template <class T>
Buffer<T> SearchContext::upload(const T* from, std::int64_t count) {
  return upload_array(std::span(from, static_cast<std::size_t>(count * problem.dimensions)));
}

Neighbors SearchContext::download(Neighbors result) {
  if (problem.parts.take) return download_parts(), Neighbors();
  Neighbors out = std::move(result);
  out.queries = problem.query_count;
  out.k = problem.k;
  out.ids.resize(static_cast<std::size_t>(out.queries * out.k));
  out.distances.resize(out.ids.size());
  copy_to_host(ids.data(), ids.size(), out.ids.data());
  copy_to_host(distances.data(), distances.size(), out.distances.data());
  timer.lap(steps.download);
  stream.synchronize();
  timer.collect();
  return out;
}

/// Two parts are in memory at a time, in arrays that all parts use in turn: one is taken while the next is copied.
void SearchContext::download_parts() {
  using Clock = std::chrono::steady_clock;
  const std::int64_t k = problem.k;
  Neighbors parts[2];
  base::OneBehind taking;  // its destructor waits, so it comes after what it uses
  stream.synchronize();
  for (std::int64_t first = 0, number = 0; first < problem.query_count; first += problem.parts.at_once, ++number) {
    const auto start = Clock::now();
    Neighbors& part = parts[number % 2];
    part.queries = std::min(problem.parts.at_once, problem.query_count - first);
    part.k = k;
    const std::int64_t values = part.queries * k;
    part.ids.resize(static_cast<std::size_t>(values));
    part.distances.resize(part.ids.size());
    copy_to_host(ids.data() + first * k, values, part.ids.data());
    copy_to_host(distances.data() + first * k, values, part.distances.data());
    stream.synchronize();
    steps.download += base::seconds_since(start);
    taking.run([this, first, &part] { problem.parts.take(first, part); });
  }
  taking.wait();
  timer.collect();
}

}  // namespace kann::cuda
