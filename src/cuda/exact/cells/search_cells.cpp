// The search in cells: the data in the order of their cells, the queries in beams, and then one search after another,
// each for the queries that the one before leaves: in teams, one by one in larger balls, and one by one in a tree.
#include "cuda/exact/cells/search_cells.hpp"

#include <algorithm>

#include "kann/error.hpp"

#include "cuda/exact/cells/beam_order.hpp"
#include "cuda/exact/data_indexes.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/exact/index.hpp"
#include "cuda/runtime/check.hpp"

namespace kann::cuda::exact {
namespace {

/// The maximum share of queries that are searched for in a tree over the cells, whose boxes are long: 2¹² queries take
/// a few milliseconds.
constexpr float k_most_in_tree = 0x1p-11f;

FirstSearch first_search(const BeamSample& sample, const Problem& p) {
  // Queries that are far outside need another search after that in cells, and an order of the data for it
  constexpr float most = 0.125f, most_far = 0.04f, most_large = 0.03f;
  if (sample.share_far > most_far || sample.share_outside > most) return FirstSearch::not_in_cells;
  if (sample.share_outside + sample.share_apart <= most)
    return sample.share_large <= most_large ? FirstSearch::in_teams : FirstSearch::in_large_teams;
  // One by one, queries take ten times as long as in teams, and an order of the data takes a while without them
  return p.query_count <= p.data_count / 8 ? FirstSearch::singly : FirstSearch::not_in_cells;
}

/// Queries in beams, and the queues of those that are left.
class BeamQueries {
 public:
  /// Queues the sort. @param d_placed the points of a self-query, in any order
  BeamQueries(SearchContext& context, const PlacedPoint* d_placed, const CellGrid& grid)
      : source_{context.d_queries(), d_placed, context.problem.grid},
        numbers_(order_in_beams(context, source_, grid)),
        queues_(context.pool, 2 * context.problem.query_count),
        counts_(context.pool, 3) {
    check(cudaMemsetAsync(counts_.data(), 0, 3 * sizeof(std::uint32_t), context.stream), "search in cells: zero");
  }

  PointSequence all() const { return {source_, numbers_.data()}; }
  PointSequence rest() const { return {source_, queues_.data()}; }
  PointSequence numbered() const { return {source_, nullptr}; }
  /// All queries; queries that teams leave; and those that are still left, the rest.
  QueryQueue all_numbers() { return {numbers_.data(), nullptr}; }
  QueryQueue left() { return {queues_.data() + numbers_.size(), counts_.data()}; }
  QueryQueue still_left() { return {queues_.data(), counts_.data() + 1}; }
  const std::uint32_t* d_rest() const { return counts_.data() + 1; }
  std::uint32_t* d_next() { return counts_.data() + 2; }

 private:
  PointSource source_;
  Buffer<std::uint32_t> numbers_, queues_, counts_;
};

/// Queues the searches for all queries in cells. Rows of the rest are wrong.
template <class Real>
void queue_in_cells(SearchContext& context, FirstSearch first, BeamQueries& queries, const DataInCells<Real>& data) {
  const Problem& p = context.problem;
  const Search<Real> search = search_over(context, data.points(), queries.all(), p.query_count);
  const Cells cells = data.cells();
  if (first == FirstSearch::singly)
    return search_singly(search, cells, context.rows(), queries.all_numbers(), queries.still_left(), context.stream);
  const int slot_words = slot_words_for(p.k);
  const Buffer<std::uint32_t> slots(context.pool, p.query_count * slot_words);
  const RowEnds ends{slots.data(), slot_words};
  search_teams(search, cells, first == FirstSearch::in_large_teams, context.rows(), ends, queries.left(),
               context.stream);
  join_row_ends(ends, p.query_count, context.rows(), context.stream);
  search_singly(search, cells, context.rows(), queries.left(), queries.still_left(), context.stream);
}

/// Queues the search for the rest of the queries, of which there are `count`.
template <class Real>
void search_rest(SearchContext& context, BeamQueries& queries, std::int64_t count, const DataInCells<Real>& data,
                 DataIndexes* kept) {
  const Problem& p = context.problem;
  constexpr double few = 1024;  // below, an order of the data takes longer
  if (!kept && static_cast<double>(count) <= std::max(few, k_most_in_tree * static_cast<double>(p.query_count))) {
    const BoxTreeView<Real> points = data.points();
    const BoxTree<Real> tree(context.pool, points.d_points, points.d_given, p.data_count);
    const Search<Real> search = search_over(context, tree.view(), queries.numbered(), p.query_count);
    return search_queued(context.pool, search, context.rows(), {{}, {}, queries.still_left(), queries.d_next()});
  }
  std::optional<Index<Real>> own;
  const Index<Real>& index = index_along_curve(context, kept, own);
  search(context.pool, index.search_for(context, queries.rest(), count), context.rows());
}

/// Calls a search that returns whether it was made; returns false if that needs too much memory: others need less.
template <class F>
bool in_spare_memory(F&& search) {
  try {
    return search();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::resources) throw;
    return false;
  }
}

/// Whether it pays to put data into cells that have an index along the curve already: for k ≤ 16, the search is twice
/// as fast in cells, and else four times; but the order takes .2 ms or more.
bool are_worth_cells(const Problem& p) {
  constexpr std::int64_t least = 1 << 18;
  return p.query_count >= p.data_count / (p.k <= k_max_filtered_list ? 4 : 32) && p.data_count >= least;
}

}  // namespace

template <class Real>
bool search_cells(SearchContext& context, const CellGrid& grid, DataIndexes* kept, std::optional<FirstSearch> first) {
  const Problem& p = context.problem;
  std::optional<DataInCells<Real>> data;
  if (p.self_query()) data.emplace(context, grid);
  BeamQueries queries(context, data ? data->points().d_points : nullptr, grid);
  // The data are put into cells while the sample is taken, so that the device does not wait for the host
  const BeamSample sample = sample_beams(context, queries.all(), grid, [&] {
    if (!data) data.emplace(context, grid);
  });
  const bool is_guess = !first;
  if (!first) first = first_search(sample, p);
  context.timer.lap(context.steps.sort);
  if (first == FirstSearch::not_in_cells) return false;

  queue_in_cells(context, *first, queries, *data);
  std::uint32_t rest = 0;
  check(cudaMemcpyAsync(&rest, queries.d_rest(), sizeof rest, cudaMemcpyDeviceToHost, context.stream),
        "search in cells: the rest");
  context.stream.synchronize();
  // In the order of beams, neighbours along the curve are far apart: so many are faster in another search of all
  constexpr int least_share = 8;
  if (is_guess && rest > p.query_count / least_share) return false;
  if (rest > 0) search_rest(context, queries, rest, *data, kept);
  context.timer.lap(context.steps.select);
  return true;
}

template <class Real>
bool search_even_data(SearchContext& context, DataIndexes* kept) {
  if (kept && !are_worth_cells(context.problem)) return false;
  const std::optional<CellGrid> grid = plan_cells(context.problem);
  return grid && in_spare_memory([&] { return search_cells<Real>(context, *grid, kept); });
}

template <class Real>
bool queue_even_data(SearchContext& context, DataIndexes& kept) {
  const Problem& p = context.problem;
  if (!are_worth_cells(p)) return false;
  const std::optional<CellGrid> grid = plan_cells(p);
  return grid && in_spare_memory([&] {
           const Index<Real>& index = kept.along_curve<Real>(context.stream);
           const DataInCells<Real> data(context, *grid);
           BeamQueries queries(context, p.self_query() ? data.points().d_points : nullptr, *grid);
           // As a sample would say if the queries were spread as the data are
           const bool are_many = p.query_count >= p.data_count;
           queue_in_cells(context, are_many ? FirstSearch::in_teams : FirstSearch::in_large_teams, queries, data);
           Search<Real> search = index.search_for(context, queries.rest(), p.query_count);
           search.d_query_count = queries.d_rest();
           exact::search(context.pool, search, context.rows());
           context.timer.lap(context.steps.select);
           return true;
         });
}

template bool search_cells<float>(SearchContext&, const CellGrid&, DataIndexes*, std::optional<FirstSearch>);
template bool search_cells<double>(SearchContext&, const CellGrid&, DataIndexes*, std::optional<FirstSearch>);
template bool search_even_data<float>(SearchContext&, DataIndexes*);
template bool search_even_data<double>(SearchContext&, DataIndexes*);
template bool queue_even_data<float>(SearchContext&, DataIndexes&);
template bool queue_even_data<double>(SearchContext&, DataIndexes&);

}  // namespace kann::cuda::exact
