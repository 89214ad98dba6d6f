#include <type_traits>

#include "cuda/exact/groups.hpp"
#include "cuda/exact/index.hpp"
#include "cuda/exact/neighbor_lists.hpp"
#include "cuda/exact/search.hpp"
#include "cuda/order/encode.hpp"
#include "cuda/order/place.hpp"
#include "cuda/order/sort.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/thread/binary_search.cuh"

namespace kann::cuda::exact {
namespace {

/// The leading bits of a code in a key, below its group.
constexpr int k_code_bits_of_key = 32;

/// One thread per point.
__global__ void keys_kernel(const std::uint32_t* d_codes, PointGroups groups, std::int64_t count,
                            std::uint64_t* d_keys) {
  const std::int64_t i = first_element();
  if (i >= count) return;
  const std::int64_t row = groups.d_input_rows ? groups.d_input_rows[i] : i;
  const auto group = static_cast<std::uint32_t>(groups.d_groups[row]);
  d_keys[i] = std::uint64_t{group} << k_code_bits_of_key | d_codes[i];
}

/// One thread per query.
__global__ void seen_kernel(const std::uint64_t* d_query_keys, std::int64_t count, const std::uint64_t* d_data_keys,
                            std::int64_t data_count, GroupPlaces* d_seen) {
  const std::int64_t i = first_element();
  if (i >= count) return;
  const std::uint64_t group = d_query_keys[i] >> k_code_bits_of_key;
  const auto first_where_not = [&](auto before) {
    return static_cast<std::int32_t>(thread::partition_point(
        0, data_count, [&](std::int64_t place) { return before(d_data_keys[place] >> k_code_bits_of_key); }));
  };
  d_seen[i] = {first_where_not([&](std::uint64_t other) { return other < group; }),
               first_where_not([&](std::uint64_t other) { return other <= group; })};
}

/// Points in the order of their groups and, in each, of the curve.
struct GroupOrder {
  Buffer<std::uint64_t> keys;
  Buffer<std::uint32_t> rows;
};

GroupOrder order_in_groups(SearchContext& context, const float* d_points, std::int64_t count,
                           const PointGroups& groups) {
  const Problem& p = context.problem;
  const Buffer<std::uint32_t> codes(context.pool, count);
  PairSorter<std::uint64_t> sorter(context.pool, count);
  if (count > 0) {
    leading_keys({d_points, nullptr, p.grid}, count, hilbert_curve(p.dimensions), k_code_bits_of_key, codes.data(),
                 sorter.indices_in(), context.stream);
    keys_kernel<<<blocks_for(count), k_block_threads, 0, context.stream>>>(codes.data(), groups, count,
                                                                           sorter.keys_in());
    check_launch("keys of points in groups");
    constexpr int key_bits = 64;
    sorter.sort(count, 0, key_bits, context.stream);
  }
  return {sorter.release_keys(), sorter.release_indices()};
}

template <class Real>
void queue(SearchContext& context, const PointGroups& of_data, const PointGroups& of_queries) {
  const Problem& p = context.problem;
  Pool& pool = context.pool;
  const GroupOrder data = order_in_groups(context, context.d_data(), p.data_count, of_data);
  const Buffer<PlacedPoint> placed(pool, p.data_count);
  Buffer<GivenPoint> given;
  const Point<Real>* d_given = nullptr;
  if (p.data_count > 0)
    place_indices(data.rows.data(), p.data_count, p.dimensions, {context.d_data(), nullptr, p.grid}, placed.data(),
                  context.stream);
  if constexpr (std::is_same_v<Real, float>) {
    d_given = placed.data();
  } else {
    given = Buffer<GivenPoint>(pool, p.data_count);
    place_given(context.d_given_data(), placed.data(), p.data_count, p.dimensions, given.data(), context.stream);
    d_given = given.data();
  }
  const BoxTree<Real> tree(pool, placed.data(), d_given, p.data_count);

  const bool self = p.self_query();
  const GroupOrder others =
      self ? GroupOrder() : order_in_groups(context, context.d_queries(), p.query_count, of_queries);
  const PointSequence own{{nullptr, placed.data(), p.grid}, nullptr},
      asked{{context.d_queries(), nullptr, p.grid}, others.rows.data()};
  const Buffer<GroupPlaces> seen(pool, p.query_count);
  seen_kernel<<<blocks_for(p.query_count), k_block_threads, 0, context.stream>>>(
      self ? data.keys.data() : others.keys.data(), p.query_count, data.keys.data(), p.data_count, seen.data());
  check_launch("groups of the queries");

  Search<Real> search = search_over(context, tree.view(), self ? own : asked, p.query_count);
  search.are_all_rows = true;
  search.d_group_places = seen.data();
  if (!self) {
    search.d_data_keys = data.keys.data();
    search.d_query_keys = others.keys.data();
  }
  context.to_lists ? queue_lists(context, search, *context.to_lists) : exact::search(pool, search, context.rows());
}

}  // namespace

void queue_in_groups(SearchContext& context, const PointGroups& data, const PointGroups& queries) {
  if (context.problem.query_count == 0) return;
  context.problem.is_rounded() ? queue<double>(context, data, queries) : queue<float>(context, data, queries);
}

}  // namespace kann::cuda::exact
