#include "tiles/shifts/shift_problem.hpp"

#include <cstddef>
#include <utility>

#include "base/parallel.hpp"
#include "problem/parameters.hpp"

namespace kann::tiles {

problem::Problem shifted_problem(const SearchOptions& options, const problem::FrameGrid& in, std::int64_t valid,
                                 int dimensions, bool is_self) {
  problem::Problem p;
  p.dimensions = dimensions;
  check_options(options);
  problem::choose_parameters(options, p);
  p.threads = base::thread_count(options.threads);
  p.data_count = valid;
  p.unit = 1 / in.frame.scale;
  p.grid = in.grid;
  p.drop_self = is_self && !options.include_self;
  if (p.searches_doubtful) p.doubt = problem::doubt_rules(p, in.frame.rounding);
  return p;
}

template <int D>
std::vector<Splitters> shift_splitters(const problem::Problem& p, const problem::Frame& frame,
                                       const std::vector<PickedPoint>& sample, std::size_t tiles) {
  std::vector<Splitters> all;
  std::vector<OrderKey> keys(sample.size());
  for (int shift = 0; shift < p.shifts; ++shift) {
    base::parallel_for(static_cast<std::int64_t>(sample.size()), p.threads, [&](std::int64_t i) {
      const PickedPoint& picked = sample[static_cast<std::size_t>(i)];
      float point[D];
      for (int a = 0; a < D; ++a) point[a] = frame.apply(picked.point[static_cast<std::size_t>(a)], a);
      keys[static_cast<std::size_t>(i)] = {shift_key<D>(p, shift, point), picked.row};
    });
    all.emplace_back(keys, tiles);
  }
  return all;
}

template std::vector<Splitters> shift_splitters<2>(const problem::Problem&, const problem::Frame&,
                                                   const std::vector<PickedPoint>&, std::size_t);
template std::vector<Splitters> shift_splitters<3>(const problem::Problem&, const problem::Frame&,
                                                   const std::vector<PickedPoint>&, std::size_t);

}  // namespace kann::tiles
