// The exact method: the k smallest (squared distance, index) of all data.
#include <algorithm>

#include "base/host_memory.hpp"
#include "base/parallel.hpp"
#include "base/resize_fresh.hpp"
#include "cpu/boxes.hpp"
#include "cpu/crowded_cells.hpp"
#include "cpu/nearest.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/workspace.hpp"
#include "geometry/morton.hpp"

namespace kann::cpu {

template <int D>
Answer exact(const Problem& p) {
  // Crowded cells are put in order before boxes and ranks take memory.
  const double ranks_and_boxes =
      k_box_bytes_per_point<D> * static_cast<double>(p.data_count) + 4.0 * static_cast<double>(p.query_count);
  const double crowded = k_crowded_cell_bytes_per_point * static_cast<double>(std::max(p.data_count, p.query_count));
  base::check_host_memory(Workspace<D>::bytes(p, k_nearest_team) + std::max(ranks_and_boxes, crowded), "the search");
  Workspace<D> work(p);
  p.progress("search", 0);
  work.order_along_hilbert();
  work.order_crowded_cells();
  const auto boxes = build_boxes(work.data.points, p.threads);
  work.watch.lap(work.answer.steps.sort);
  Array<std::uint32_t> ranks;
  if (p.self_query()) {
    base::resize_fresh(ranks, p.query_count);
    base::parallel_for(p.query_count, p.threads, [&](std::int64_t i) { ranks[i] = static_cast<std::uint32_t>(i); });
  } else {
    work.rank({0, k_code_bits<D>}, work.data.codes, ranks);
    rank_within_crowded_cells(work.queries(), work.data, ranks, p.threads);
  }
  work.watch.lap(work.answer.steps.rank);

  const NearestSearch<D> search{&p,           work.data.points.view(), &boxes, work.queries().points.view(),
                                ranks.data(), work.allocate_rows()};
  p.progress("search", 0.25);
  base::parallel_chunks(p.query_count, query_chunk(p), p.threads,
                        [&](std::int64_t begin, std::int64_t end) { find_nearest<D>(search, begin, end); });
  return work.finish();
}

template Answer exact<2>(const Problem&);
template Answer exact<3>(const Problem&);

}  // namespace kann::cpu
