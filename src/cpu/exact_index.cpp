#include "cpu/exact_index.hpp"

#include <utility>

#include "base/threads/parallel.hpp"
#include "cpu/lists.hpp"
#include "cpu/nearest/nearest.hpp"
#include "cpu/nearest/within.hpp"
#include "cpu/order/lattice.hpp"
#include "cpu/workspace.hpp"
#include "problem/query_progress.hpp"

namespace kann::cpu {
namespace {

/// About how many neighbours all queries have, by those of a few.
template <int D>
double expected_neighbors(const RadiusSearch<D>& search) {
  constexpr std::int64_t sampled = 64;
  const std::int64_t queries = search.in.queries.count;
  if (queries < sampled) return 0;
  Array<std::int32_t> counts(static_cast<std::size_t>(queries));
  double sum = 0;
  for (std::int64_t i = 0; i < sampled; ++i) {
    const std::int64_t query = queries * i / sampled;
    find_within(search, query, query + 1, counts.data(), nullptr);
    sum += counts[search.in.queries.ids[query]];
  }
  return sum / static_cast<double>(sampled) * static_cast<double>(queries);
}

/// @param most as in ListCollector
template <int D>
NeighborLists collect_lists(const RadiusSearch<D>& search, std::int64_t most) {
  const PlacedView<D>& queries = search.in.queries;
  const Problem& p = *search.in.problem;
  ListCollector lists(queries.count, most);
  problem::QueryProgress progress(p, queries.count, 0.25, 1);
  base::parallel_chunks(queries.count, query_chunk(queries.count, p.threads), p.threads,
                        [&](std::int64_t begin, std::int64_t end) {
                          for (std::int64_t i = begin, next = 0; i < end; i = next) {
                            const bool keeps = lists.keeps_rows();
                            FoundKeys found = keeps ? lists.room_for(end - i) : FoundKeys();
                            next = find_within(search, i, end, lists.counts(), keeps ? &found : nullptr);
                            lists.add(queries.ids + i, next - i, std::move(found));
                          }
                          progress.add(end - begin);
                        });
  return lists.finish(p.threads);
}

}  // namespace

template <int D>
ExactIndex<D>::ExactIndex(const Problem& p, const Placed<D>& data)
    : data_(data), boxes_(build_boxes(data.view(), p.threads)) {
  prepare_for(p);
}

template <int D>
void ExactIndex<D>::prepare_for(const Problem& p) {
  if (!p.is_rounded()) {
    if (!data_step_) data_step_ = lattice_step(p);
  } else if (!given_) {
    given_.emplace();
    gather_doubles<D>(p.given_data, data_, given_->data, p.threads);
    given_->boxes = build_boxes(given_->data.view(data_), p.threads);
  }
}

template <int D>
void ExactIndex<D>::search(const Problem& p, const PlacedView<D>& queries, const std::uint32_t* ranks,
                           const HostRows& rows) const {
  NearestSearch<D> search = search_of(p, queries, ranks);
  search.rows = rows;
  problem::QueryProgress progress(p, queries.count, 0.25, 1);
  base::parallel_chunks(queries.count, query_chunk(queries.count, p.threads), p.threads,
                        [&](std::int64_t begin, std::int64_t end) {
                          find_nearest<D>(search, begin, end);
                          progress.add(end - begin);
                        });
}

template <int D>
NeighborLists ExactIndex<D>::search_within(const Problem& p, const PlacedView<D>& queries,
                                           const std::uint32_t* ranks) const {
  const RadiusSearch<D> search{search_of(p, queries, ranks), WithinRadius(*p.list_radius)};
  const bool seem_too_many = p.most_listed >= 0 && expected_neighbors(search) > 2 * static_cast<double>(p.most_listed);
  NeighborLists lists = collect_lists(search, seem_too_many ? -1 : p.most_listed);
  if (seem_too_many && lists.neighbors() <= p.most_listed) lists = collect_lists(search, p.most_listed);
  return lists;
}

template <int D>
NearestSearch<D> ExactIndex<D>::search_of(const Problem& p, const PlacedView<D>& queries,
                                          const std::uint32_t* ranks) const {
  NearestSearch<D> search;
  search.problem = &p;
  search.data = data_.view();
  search.boxes = &boxes_;
  search.queries = queries;
  search.ranks = ranks;
  search.exact_below = exact_float32_limit(p, p.is_rounded() ? std::nullopt : *data_step_);
  if (p.is_rounded()) {
    search.given_data = given_->data.view(data_);
    search.given_boxes = &given_->boxes;
  }
  return search;
}

template class ExactIndex<2>;
template class ExactIndex<3>;

}  // namespace kann::cpu
