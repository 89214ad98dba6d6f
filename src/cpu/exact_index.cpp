#include "cpu/exact_index.hpp"

#include "base/threads/parallel.hpp"
#include "cpu/nearest/nearest.hpp"
#include "cpu/order/lattice.hpp"
#include "cpu/workspace.hpp"
#include "problem/query_progress.hpp"

namespace kann::cpu {

template <int D>
ExactIndex<D>::ExactIndex(const Problem& p, const Placed<D>& data)
    : data_(data), boxes_(build_boxes(data.view(), p.threads)), data_step_(lattice_step(p)) {
  if (!p.is_rounded()) return;
  given_.emplace();
  gather_doubles<D>(p.given_data, data, given_->data, p.threads);
  given_->boxes = build_boxes(given_->data.view(data), p.threads);
}

template <int D>
void ExactIndex<D>::search(const Problem& p, const PlacedView<D>& queries, const std::uint32_t* ranks,
                           const HostRows& rows, const float* known_bounds) const {
  NearestSearch<D> search{
      &p, data_.view(), &boxes_, queries, ranks, rows, known_bounds, exact_float32_limit(p, data_step_), {}, nullptr};
  if (given_) {
    search.given_data = given_->data.view(data_);
    search.given_boxes = &given_->boxes;
  }
  problem::QueryProgress progress(p, queries.count, p.method == Method::exact ? 0.25 : 0.9, 1);
  base::parallel_chunks(queries.count, query_chunk(queries.count, p.threads), p.threads,
                        [&](std::int64_t begin, std::int64_t end) {
                          find_nearest<D>(search, begin, end);
                          progress.add(end - begin);
                        });
}

template <int D>
double ExactIndex<D>::bytes(const Problem& p) {
  const double data = static_cast<double>(p.data_count), queries = static_cast<double>(p.query_count);
  double bytes = k_box_bytes_per_point<D, float> * data + 4 * queries;
  if (p.is_rounded()) bytes += (k_box_bytes_per_point<D, double> + PlacedDoubles<D>::bytes_per_point) * data;
  return bytes + k_nearest_bytes * static_cast<double>(p.list_size()) * p.threads;
}

template class ExactIndex<2>;
template class ExactIndex<3>;

}  // namespace kann::cpu
