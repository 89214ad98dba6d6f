#include "cpu/select.hpp"

#include "cpu/vector/highway.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/vector/query_team-inl.hpp"
#include "cpu/window_search-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

template <int D>
struct WindowSearchIn {
  template <class List>
  using With = WindowSearch<D, List>;
};

#if HWY_TARGET == HWY_SCALAR
using WindowLists = AllLists;
#else
using WindowLists = ListKinds<RegisterList<8>, RegisterList<16>, RegisterList<32> >;
#endif

template <int D>
void select_range(const Selection<D>& s, std::int64_t begin, std::int64_t end) {
  search_in_teams<WindowSearchIn<D>::template With>(WindowLists(), s, s.problem->list_size(), begin, end);
}

template void select_range<2>(const Selection<2>&, std::int64_t, std::int64_t);
template void select_range<3>(const Selection<3>&, std::int64_t, std::int64_t);

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if KANN_ONCE
namespace kann::cpu {

KANN_ON_EACH_TARGET(template <int D> void select_range(const Selection<D>&, std::int64_t, std::int64_t);)

template <int D>
void select(const Selection<D>& selection, std::int64_t begin, std::int64_t end) {
  KANN_DISPATCH(select_range<D>)(selection, begin, end);
}

template void select<2>(const Selection<2>&, std::int64_t, std::int64_t);
template void select<3>(const Selection<3>&, std::int64_t, std::int64_t);

}  // namespace kann::cpu
#endif
