#include "cuda/exact/index.hpp"

#include <type_traits>
#include <utility>

#include "cuda/order/place.hpp"
#include "cuda/order/shift.hpp"

namespace kann::cuda::exact {

/// The data of a context along the curve. Blocks.
static std::shared_ptr<const CurveOrder> order_of_data(SearchContext& context) {
  const Problem& p = context.problem;
  const PointSource rows{context.d_data(), nullptr, p.grid, context.d_given_data()};
  return std::make_shared<const CurveOrder>(context, rows, p.dimensions, p.data_count);
}

template <class Real>
Index<Real>::Index(SearchContext& context, std::shared_ptr<const CurveOrder> order)
    : order_(order ? std::move(order) : order_of_data(context)) {
  const Problem& p = context.problem;
  const PlacedPoint* const d_placed = order_->placed.data();
  if constexpr (std::is_same_v<Real, float>) {
    tree_.emplace(context.pool, d_placed, d_placed, p.data_count);
  } else {
    given_ = Buffer<GivenPoint>(context.pool, p.data_count);
    place_given(context.d_given_data(), d_placed, p.data_count, p.dimensions, given_.data(), context.stream);
    tree_.emplace(context.pool, d_placed, given_.data(), p.data_count);
  }
  context.timer.lap(context.steps.boxes);
}

template <class Real>
Search<Real> search_over(const SearchContext& context, const BoxTreeView<Real>& tree, const PointSequence& queries,
                         std::int64_t count) {
  const Problem& p = context.problem;
  Search<Real> search{};
  search.tree = tree;
  search.curve = hilbert_curve(p.dimensions);
  search.grid = p.grid;
  search.queries = queries;
  search.d_given_queries = context.d_given_queries();
  search.query_count = count;
  search.drop_self = p.drop_self;
  search.first_query = static_cast<std::uint32_t>(p.first_query);
  search.list_size = p.list_size();
  search.unit = p.unit;
  return search;
}

template <class Real>
Search<Real> Index<Real>::search_for(const SearchContext& context, const PointSequence& queries,
                                     std::int64_t count) const {
  Search<Real> search = search_over(context, tree_->view(), queries, count);
  search.d_data_keys = order_->keys.data();
  search.key_bit = order_->key_bit;
  search.curve = order_->curve;
  if (order_->tree) search.tree_of_places = order_->tree->view();
  return search;
}

template Search<float> search_over(const SearchContext&, const BoxTreeView<float>&, const PointSequence&, std::int64_t);
template Search<double> search_over(const SearchContext&, const BoxTreeView<double>&, const PointSequence&,
                                    std::int64_t);
template class Index<float>;
template class Index<double>;

}  // namespace kann::cuda::exact
