#include "cpu/order.hpp"

#include <algorithm>
#include <parallel/algorithm>

#include "geometry/morton.hpp"
#include "parallel.hpp"

namespace kann::cpu {

template <int D>
Array<std::uint64_t> encode(const float* points, std::int64_t count, const Grid& grid, int threads) {
  Array<std::uint64_t> codes(static_cast<std::size_t>(count));
  parallel_for(count, threads, [&](std::int64_t i) { codes[i] = morton_code<D>(points + i * D, grid); });
  return codes;
}

template <int D>
Order<D>::Order(std::int64_t count) : places_(static_cast<std::size_t>(count)) {}

template <int D>
void Order<D>::sort(const Array<std::uint64_t>& codes, std::uint64_t shift, int bits, int threads) {
  parallel_for(size(), threads, [&](std::int64_t i) {
    places_[i] = {sort_key<D>(codes[i], shift, bits), static_cast<std::uint32_t>(i)};
  });
  const auto before = [](const Keyed& a, const Keyed& b) { return a.key != b.key ? a.key < b.key : a.index < b.index; };
  __gnu_parallel::sort(places_.begin(), places_.end(), before,
                       __gnu_parallel::multiway_mergesort_tag(static_cast<unsigned short>(threads)));
}

template <int D>
void Order<D>::gather(const float* points, int threads) {
  for (auto& axis : axes_) axis.resize(places_.size());
  parallel_for(size(), threads, [&](std::int64_t place) {
    const float* point = points + static_cast<std::int64_t>(places_[place].index) * D;
    for (int a = 0; a < D; ++a) axes_[a][place] = point[a];
  });
}

template <int D>
std::int64_t Order<D>::rank(std::uint64_t key) const {
  const auto after = [](std::uint64_t k, const Keyed& place) { return k < place.key; };
  return std::upper_bound(places_.begin(), places_.end(), key, after) - places_.begin();
}

template Array<std::uint64_t> encode<2>(const float*, std::int64_t, const Grid&, int);
template Array<std::uint64_t> encode<3>(const float*, std::int64_t, const Grid&, int);
template class Order<2>;
template class Order<3>;

}  // namespace kann::cpu
