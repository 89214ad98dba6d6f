// The exact method: data and queries along the Hilbert curve, boxes over the data, and the search.
#include "cuda/exact/exact.hpp"

#include "cuda/exact/search.hpp"
#include "cuda/order/place.hpp"
#include "cuda/order/point_order.hpp"
#include "cuda/order/query_order.hpp"

namespace kann::cuda {
namespace {

/// The points of an order as they were given; nothing is allocated if these are its points.
template <class Real>
class PlacedGiven {
 public:
  PlacedGiven(SearchContext& context, const Buffer<PlacedPoint>& placed) : d_points_(nullptr) {
    if constexpr (std::is_same_v<Real, float>) {
      d_points_ = placed.data();
    } else {
      points_ = Buffer<GivenPoint>(context.pool, placed.size());
      place_given(context.d_given_data(), placed.data(), placed.size(), context.problem.dimensions, points_.data(),
                  context.stream);
      d_points_ = points_.data();
    }
  }
  const exact::Point<Real>* data() const { return d_points_; }

 private:
  Buffer<GivenPoint> points_;
  const exact::Point<Real>* d_points_;
};

template <class Real>
void run(SearchContext& context) {
  const Problem& p = context.problem;
  const bool self = p.self_query();
  const Shift curve = hilbert_curve(p.dimensions);

  const QueryOrder queries = self ? QueryOrder() : order_closely(context, curve);
  Buffer<PlacedPoint> placed(context.pool, p.data_count);
  PointOrder data_order(context, p.data_count, Scratch(context.pool));
  const PointSource source{context.d_data(), nullptr, p.grid, context.d_given_data()};
  const SortedPoints order = data_order.complete_order(curve, source, placed.data());
  const PlacedGiven<Real> given(context, placed);
  const exact::BoxTree<Real> tree(context.pool, placed.data(), given.data(), p.data_count);
  context.timer.lap(context.steps.boxes);

  exact::Search<Real> search{};
  search.tree = tree.view();
  search.d_data_keys = self ? nullptr : order.d_keys;
  search.key_bit = order.key_bit;
  search.curve = shortened(curve, order.key_bits - order.key_bit);
  search.grid = p.grid;
  search.ordered_within_cells = data_order.is_ordered_within_cells();
  search.queries = self ? PointSequence{{nullptr, placed.data(), p.grid}, nullptr} : queries.sequence(context);
  search.d_given_queries = context.d_given_queries();
  search.query_count = p.query_count;
  search.drop_self = p.drop_self;
  search.list_size = p.list_size();
  search.unit = p.unit;
  exact::search(context.pool, search, context.rows());
  context.timer.lap(context.steps.select);
}

}  // namespace

void run_exact(SearchContext& context) { context.problem.is_rounded() ? run<double>(context) : run<float>(context); }

}  // namespace kann::cuda
