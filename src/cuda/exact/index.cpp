#include "cuda/exact/index.hpp"

#include <type_traits>

#include "cuda/order/place.hpp"
#include "cuda/order/shift.hpp"

namespace kann::cuda::exact {

template <class Real>
Index<Real>::Index(SearchContext& context) : context_(context) {
  const Problem& p = context.problem;
  placed_ = Buffer<PlacedPoint>(context.pool, p.data_count);
  data_order_.emplace(context, p.data_count, Scratch(context.pool));
  const PointSource source{context.d_data(), nullptr, p.grid, context.d_given_data()};
  order_ = data_order_->complete_order(hilbert_curve(p.dimensions), source, placed_.data());
  grow(placed_.data());
}

template <class Real>
Index<Real>::Index(SearchContext& context, const PlacedPoint* d_placed) : context_(context) {
  grow(d_placed);
}

template <class Real>
void Index<Real>::grow(const PlacedPoint* d_placed) {
  const Problem& p = context_.problem;
  if constexpr (std::is_same_v<Real, float>) {
    tree_.emplace(context_.pool, d_placed, d_placed, p.data_count);
  } else {
    given_ = Buffer<GivenPoint>(context_.pool, p.data_count);
    place_given(context_.d_given_data(), d_placed, p.data_count, p.dimensions, given_.data(), context_.stream);
    tree_.emplace(context_.pool, d_placed, given_.data(), p.data_count);
  }
  context_.timer.lap(context_.steps.boxes);
}

template <class Real>
Search<Real> Index<Real>::search_for(const PointSequence& queries, std::int64_t count) const {
  const Problem& p = context_.problem;
  Search<Real> search{};
  search.tree = tree_->view();
  search.curve = hilbert_curve(p.dimensions);
  if (data_order_) {
    search.d_data_keys = order_.d_keys;
    search.key_bit = order_.key_bit;
    search.curve = shortened(search.curve, order_.key_bits - order_.key_bit);
    search.ordered_within_cells = data_order_->is_ordered_within_cells();
  }
  search.grid = p.grid;
  search.queries = queries;
  search.d_given_queries = context_.d_given_queries();
  search.query_count = count;
  search.drop_self = p.drop_self;
  search.list_size = p.list_size();
  search.unit = p.unit;
  return search;
}

template class Index<float>;
template class Index<double>;

}  // namespace kann::cuda::exact
