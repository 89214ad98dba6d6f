#include <algorithm>
#include <bit>
#include <variant>

#include "kann/error.hpp"

#include "cuda/exact/groups.hpp"
#include "cuda/exact/neighbor_lists.hpp"
#include "cuda/exact/search.hpp"
#include "cuda/order/encode.hpp"
#include "cuda/order/place.hpp"
#include "cuda/order/sort.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/thread/binary_search.cuh"

namespace kann::cuda::exact {
namespace {

/// The leading bits of a code that are computed.
constexpr int k_code_bits = 32;

/// The bits of a key: a group and, below it, leading bits of a code.
struct KeyBits {
  int all, of_code;
};

/// Whole bytes, as each is a pass of the sort, with 24 bits of a code at least.
KeyBits key_bits_of(const PointGroups& groups) {
  constexpr int byte = 8, most = 64;
  const int of_group = std::bit_width(groups.outside), all = std::min((k_code_bits + of_group) / byte * byte, most);
  return {all, all - of_group};
}

/// One thread per point. A number that no point of the data has becomes that of an empty group.
template <class Number>
__global__ void keys_kernel(const std::uint32_t* d_codes, const Number* d_numbers, const std::int32_t* d_input_rows,
                            std::int64_t least, std::uint64_t outside, int code_bits, std::int64_t count,
                            std::uint64_t* d_keys) {
  const std::int64_t i = first_element();
  if (i >= count) return;
  const std::int64_t number = d_numbers[d_input_rows ? d_input_rows[i] : i];
  const std::uint64_t from_least = static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(least),
                      group = from_least < outside ? from_least : outside;
  d_keys[i] = group << code_bits | d_codes[i] >> (k_code_bits - code_bits);
}

/// One thread per query.
__global__ void seen_kernel(const std::uint64_t* d_query_keys, std::int64_t count, const std::uint64_t* d_data_keys,
                            std::int64_t data_count, int code_bits, GroupPlaces* d_seen) {
  const std::int64_t i = first_element();
  if (i >= count) return;
  const std::uint64_t group = d_query_keys[i] >> code_bits;
  const auto first_where_not = [&](auto before) {
    return static_cast<std::int32_t>(thread::partition_point(
        0, data_count, [&](std::int64_t place) { return before(d_data_keys[place] >> code_bits); }));
  };
  d_seen[i] = {first_where_not([&](std::uint64_t other) { return other < group; }),
               first_where_not([&](std::uint64_t other) { return other <= group; })};
}

/// The keys of points, sorted, with their rows. Queued.
PairSorter<std::uint64_t> sorted_in_groups(SearchContext& context, const float* d_points, std::int64_t count,
                                           const PointGroups& groups, const DeviceGroups& numbers,
                                           const std::int32_t* d_input_rows) {
  const Problem& p = context.problem;
  const KeyBits bits = key_bits_of(groups);
  const Buffer<std::uint32_t> codes(context.pool, count);
  PairSorter<std::uint64_t> sorter(context.pool, count);
  if (count == 0) return sorter;
  leading_keys({d_points, nullptr, p.grid}, count, hilbert_curve(p.dimensions), k_code_bits, codes.data(),
               sorter.indices_in(), context.stream);
  std::visit(
      [&](const auto& all) {
        keys_kernel<<<blocks_for(count), k_block_threads, 0, context.stream>>>(codes.data(), all.data(), d_input_rows,
                                                                               groups.least, groups.outside,
                                                                               bits.of_code, count, sorter.keys_in());
      },
      numbers);
  check_launch("keys of points in groups");
  sorter.sort(count, 0, bits.all, context.stream);
  return sorter;
}

}  // namespace

PointGroups::PointGroups(const DeviceGroups& given, const NumberRange& range)
    : numbers(given), least(range.least), outside(1) {
  if (range.least > range.largest) return;  // there are none
  const std::uint64_t apart = static_cast<std::uint64_t>(range.largest) - static_cast<std::uint64_t>(range.least);
  constexpr std::uint64_t too_far = std::uint64_t{1} << 39;
  if (apart >= too_far) throw Error(ErrorKind::usage, "groups: the numbers are 2^39 apart or more");
  outside = apart + 1;
}

std::shared_ptr<const CurveOrder> order_in_groups(SearchContext& context, const PointGroups& groups) {
  const Problem& p = context.problem;
  PairSorter<std::uint64_t> sorter =
      sorted_in_groups(context, context.d_data(), p.data_count, groups, groups.numbers, groups.d_input_rows);
  Buffer<PlacedPoint> placed(context.pool, p.data_count);
  if (p.data_count > 0)
    place_indices(sorter.indices(), p.data_count, p.dimensions, {context.d_data(), nullptr, p.grid}, placed.data(),
                  context.stream);
  return std::make_shared<const CurveOrder>(p.dimensions, std::move(placed), sorter.release_keys());
}

template <class Real>
void search_in_groups(SearchContext& context, const Index<Real>& index, const PointGroups& data,
                      const std::optional<DeviceGroups>& queries) {
  const Problem& p = context.problem;
  if (p.query_count == 0) return;
  const PairSorter<std::uint64_t> sorter =
      queries ? sorted_in_groups(context, context.d_queries(), p.query_count, data, *queries, nullptr)
              : PairSorter<std::uint64_t>();
  const std::uint64_t* const d_data_keys = index.order()->keys.data();
  const Buffer<GroupPlaces> seen(context.pool, p.query_count);
  seen_kernel<<<blocks_for(p.query_count), k_block_threads, 0, context.stream>>>(
      queries ? sorter.keys() : d_data_keys, p.query_count, d_data_keys, p.data_count, key_bits_of(data).of_code,
      seen.data());
  check_launch("groups of the queries");

  const PointSequence own{{nullptr, index.d_placed(), p.grid}, nullptr},
      asked{{context.d_queries(), nullptr, p.grid}, queries ? sorter.indices() : nullptr};
  Search<Real> search = index.search_for(context, queries ? asked : own, p.query_count);
  search.are_all_rows = true;
  search.d_group_places = seen.data();
  search.d_query_keys = sorter.keys();
  if (!queries) search.d_data_keys = nullptr;  // a point is at its own place
  context.to_lists ? queue_lists(context, search, *context.to_lists)
                   : exact::search(context.pool, search, context.rows());
}

template void search_in_groups(SearchContext&, const Index<float>&, const PointGroups&,
                               const std::optional<DeviceGroups>&);
template void search_in_groups(SearchContext&, const Index<double>&, const PointGroups&,
                               const std::optional<DeviceGroups>&);

}  // namespace kann::cuda::exact
