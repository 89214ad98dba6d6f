#include "cuda/exact/refine.hpp"

#include <optional>

#include "cuda/order/choose.hpp"
#include "cuda/order/query_order.hpp"

namespace kann::cuda::exact {
namespace {

/// A search that is bounded by the rows that were written before.
template <class Real>
Search<Real> bounded_search(const SearchContext& context, const Index<Real>& index, const PointSequence& queries,
                            std::int64_t count) {
  Search<Real> search = index.search_for(context, queries, count);
  search.d_found = context.distances.data();
  search.found_k = context.problem.k;
  return search;
}

/// Searches for the sample, and for other queries in the same launch.
template <class Real>
void search_sample(SearchContext& context, const Index<Real>& index, const SearchJob<Real>& others) {
  const Problem& p = context.problem;
  const std::int64_t size = p.list_size();
  const auto count = size > 0 ? static_cast<std::int64_t>(p.sample.size()) : 0;
  const Buffer<std::uint32_t> sampled(context.pool, count);
  const Buffer<float> distances(context.pool, count * size);
  context.sample_ids = Buffer<std::int32_t>(context.pool, count * size);
  if (count > 0)
    check(cudaMemcpyAsync(sampled.data(), p.sample.data(), p.sample.size() * sizeof(std::uint32_t),
                          cudaMemcpyHostToDevice, context.stream),
          "sample");
  const PointSequence queries{{context.d_queries(), nullptr, p.grid}, sampled.data()};
  SearchJob<Real> job{bounded_search(context, index, queries, count),
                      {context.sample_ids.data(), distances.data(), size, p.unit}};
  job.search.numbers_rows = true;
  search_singly(context.pool, job, others);
  context.timer.lap(context.steps.select);
}

}  // namespace

template <class Real>
void refine_few(SearchContext& context, const Index<Real>& index, const PointSequence& queries, std::int64_t count,
                const std::uint32_t* d_places) {
  SearchJob<Real> job{bounded_search(context, index, queries, count), context.rows()};
  job.search.d_data_keys = nullptr;
  job.search.d_places = d_places;
  // If one query in 16 is searched for, 32 of them lie among some 500: together, they take a warp about as long as one
  // by one
  constexpr std::int64_t many = 16;
  if (context.problem.list_size() > k_max_filtered_list || count < context.problem.query_count / many)
    return search_sample(context, index, job);
  search(context.pool, job.search, job.rows);
  context.timer.lap(context.steps.select);
  search_sample(context, index, {});
}

template <class Real>
void refine_many(SearchContext& context, const bool* d_by_row, std::int64_t count, DataIndexes* kept) {
  const Problem& p = context.problem;
  const bool self = p.self_query();
  const QueryOrder order = self ? QueryOrder() : order_closely(context, hilbert_curve(p.dimensions));
  std::optional<Index<Real>> own;
  const Index<Real>& index = index_along_curve(context, kept, own);
  PointSequence queries = self ? PointSequence{{nullptr, index.d_placed(), p.grid}, nullptr} : order.sequence(context);
  const Buffer<std::uint32_t> chosen = choose(context.pool, queries, p.query_count, d_by_row, count);
  queries.d_from = chosen.data();
  Search<Real> flagged = index.search_for(context, queries, count);
  if (self) flagged.d_data_keys = nullptr;  // a point is at its own place
  search(context.pool, flagged, context.rows());
  context.timer.lap(context.steps.select);
  search_sample(context, index, {});
}

namespace {

template <class Real>
void search_sample_alone(SearchContext& context, DataIndexes* kept) {
  std::optional<Index<Real>> own;
  search_sample(context, index_along_curve(context, kept, own), {});
}

}  // namespace

void refine_none(SearchContext& context, DataIndexes* kept) {
  context.problem.is_rounded() ? search_sample_alone<double>(context, kept) : search_sample_alone<float>(context, kept);
}

template void refine_few(SearchContext&, const Index<float>&, const PointSequence&, std::int64_t, const std::uint32_t*);
template void refine_few(SearchContext&, const Index<double>&, const PointSequence&, std::int64_t,
                         const std::uint32_t*);
template void refine_many<float>(SearchContext&, const bool*, std::int64_t, DataIndexes*);
template void refine_many<double>(SearchContext&, const bool*, std::int64_t, DataIndexes*);

}  // namespace kann::cuda::exact
