#include "cpu/exact_index.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "base/resize_fresh.hpp"
#include "cpu/lattice.hpp"
#include "cpu/nearest.hpp"
#include "geometry/morton.hpp"

namespace kann::cpu {

template <int D>
Array<std::uint32_t> order_for_exact(Workspace<D>& work) {
  const Problem& p = work.p;
  work.order_along_hilbert();
  work.order_crowded_cells();
  Array<std::uint32_t> ranks;
  if (p.self_query()) {
    base::resize_fresh(ranks, p.query_count);
    base::parallel_for(p.query_count, p.threads, [&](std::int64_t i) { ranks[i] = static_cast<std::uint32_t>(i); });
  } else {
    if (work.fine.is_of_all) {
      base::resize_fresh(ranks, p.query_count);
    } else {
      work.rank({0, k_code_bits<D>}, work.data.codes, ranks);
    }
    rank_within_crowded_cells(work.queries(), p.given_queries, work.data, work.fine, ranks, p.threads);
  }
  work.watch.lap(work.answer.steps.rank);
  return ranks;
}

template <int D>
ExactIndex<D>::ExactIndex(const Workspace<D>& work)
    : work_(work),
      boxes_(build_boxes(work.data.points.view(), work.p.threads)),
      exact_below_(exact_float32_limit(work.p)) {
  if (!work.p.is_rounded()) return;
  given_.emplace();
  gather_doubles<D>(work.p.given_data, work.data.points, given_->data, work.p.threads);
  given_->boxes = build_boxes(given_->data.view(work.data.points), work.p.threads);
}

template <int D>
void ExactIndex<D>::search(const PlacedView<D>& queries, const std::uint32_t* ranks, const HostRows& rows,
                           const float* known_bounds) const {
  const Problem& p = work_.p;
  NearestSearch<D> search{
      &p, work_.data.points.view(), &boxes_, queries, ranks, rows, known_bounds, exact_below_, {}, nullptr};
  if (given_) {
    search.given_data = given_->data.view(work_.data.points);
    search.given_boxes = &given_->boxes;
  }
  base::parallel_chunks(queries.count, query_chunk(queries.count, p.threads), p.threads,
                        [&](std::int64_t begin, std::int64_t end) { find_nearest<D>(search, begin, end); });
}

template <int D>
double ExactIndex<D>::bytes(const Problem& p) {
  // Crowded cells are put in order before boxes and float64s take memory.
  const double data = static_cast<double>(p.data_count), queries = static_cast<double>(p.query_count);
  const double both = p.self_query() ? data : data + queries;
  double after = k_box_bytes_per_point<D, float> * data + k_fine_order_bytes_per_point * data + 4 * queries;
  if (p.is_rounded()) after += k_box_bytes_per_point<D, double> * data + PlacedDoubles<D>::bytes_per_point * data;
  const double crowded = k_crowded_cell_bytes_per_point * std::max(data, queries) + k_fine_order_bytes_per_point * both;
  // Beside the lists of Workspace: twice the first distances (24 bytes a place), the candidates and lists of one query
  const double lists = 2 * 12.0 * k_nearest_team + 2 * 16 + 3 * 16 + 2 * 16;
  return std::max(after, crowded) + lists * static_cast<double>(p.list_size()) * p.threads;
}

template Array<std::uint32_t> order_for_exact(Workspace<2>&);
template Array<std::uint32_t> order_for_exact(Workspace<3>&);
template class ExactIndex<2>;
template class ExactIndex<3>;

}  // namespace kann::cpu
