// The exact method: the k smallest (squared distance, index) of all data.
#include <algorithm>
#include <optional>
#include <vector>

#include "base/host_memory.hpp"
#include "base/parallel.hpp"
#include "base/resize_fresh.hpp"
#include "cpu/boxes.hpp"
#include "cpu/lattice.hpp"
#include "cpu/nearest.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/workspace.hpp"
#include "geometry/morton.hpp"

namespace kann::cpu {
namespace {

template <int D>
double bytes_needed(const Problem& p) {
  // Crowded cells are put in order before boxes, ranks and float64s take memory.
  const double data = static_cast<double>(p.data_count), queries = static_cast<double>(p.query_count);
  const double both = p.self_query() ? data : data + queries;
  double after = k_box_bytes_per_point<D, float> * data + 4 * queries;
  if (p.is_rounded())
    after += k_box_bytes_per_point<D, double> * data + PlacedDoubles<D>::bytes_per_point * data +
             k_fine_order_bytes_per_point * data;
  const double crowded = k_crowded_cell_bytes_per_point * std::max(data, queries) +
                         (p.is_rounded() ? k_fine_order_bytes_per_point * both : 0);
  // Beside the lists of Workspace: twice the first distances (24 bytes a place), the candidates and lists of one query
  const double lists = 2 * 12.0 * k_nearest_team + 2 * 16 + 3 * 16 + 2 * 16;
  return Workspace<D>::bytes(p, k_nearest_team) + std::max(after, crowded) +
         lists * static_cast<double>(p.list_size()) * p.threads;
}

/// The data as they were given, in their order, and their boxes.
template <int D>
struct Given {
  PlacedDoubles<D> data;
  std::vector<BoxLevel<D, double>> boxes;

  explicit Given(const Workspace<D>& work) {
    gather_doubles<D>(work.p.given_data, work.data.points, data, work.p.threads);
    boxes = build_boxes(data.view(work.data.points), work.p.threads);
  }
};

}  // namespace

template <int D>
Answer exact(const Problem& p) {
  base::check_host_memory(bytes_needed<D>(p), "the search");
  Workspace<D> work(p);
  p.progress("search", 0);
  work.order_along_hilbert();
  work.order_crowded_cells();
  const auto boxes = build_boxes(work.data.points.view(), p.threads);
  std::optional<Given<D>> given;
  if (p.is_rounded()) given.emplace(work);
  work.watch.lap(work.answer.steps.sort);
  Array<std::uint32_t> ranks;
  if (p.self_query()) {
    base::resize_fresh(ranks, p.query_count);
    base::parallel_for(p.query_count, p.threads, [&](std::int64_t i) { ranks[i] = static_cast<std::uint32_t>(i); });
  } else {
    work.rank({0, k_code_bits<D>}, work.data.codes, ranks);
    if (p.is_rounded()) {
      rank_within_crowded_cells(work.queries(), p.given_queries, work.data, p.given_data, work.fine, ranks, p.threads);
    } else {
      rank_within_crowded_cells(work.queries(), work.data, ranks, p.threads);
    }
  }
  work.watch.lap(work.answer.steps.rank);

  NearestSearch<D> search{&p,
                          work.data.points.view(),
                          &boxes,
                          work.queries().points.view(),
                          ranks.data(),
                          work.allocate_rows(),
                          exact_float32_limit(p),
                          {},
                          nullptr};
  if (given) {
    search.given_data = given->data.view(work.data.points);
    search.given_boxes = &given->boxes;
  }
  p.progress("search", 0.25);
  base::parallel_chunks(p.query_count, query_chunk(p), p.threads,
                        [&](std::int64_t begin, std::int64_t end) { find_nearest<D>(search, begin, end); });
  return work.finish();
}

template Answer exact<2>(const Problem&);
template Answer exact<3>(const Problem&);

}  // namespace kann::cpu
