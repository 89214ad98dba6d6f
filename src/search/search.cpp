#include "search/search.hpp"

#include "cuda/backend.hpp"
#include "problem/prepare.hpp"
#include "search/run_placed.hpp"
#include "search/run_search.hpp"

namespace kann {

SearchResult detail::search(const PointsView& data, const std::optional<PointsView>& queries,
                            const SearchOptions& options, const std::optional<geometry::Box>& extent) {
  const IndexOptions of_data{options.invalid, options.threads, options.data_name};
  if (are_placed(options)) return run_placed(data, {}, queries, of_data, options, extent);
  return run_search(options, nullptr, [&] { return problem::prepare(data, queries, options); });
}

SearchResult search(const PointsView& data, const PointsView& queries, const SearchOptions& options) {
  return detail::search(data, queries, options);
}

SearchResult search_self(const PointsView& data, const SearchOptions& options) {
  return detail::search(data, std::nullopt, options);
}

CudaStatus cuda_status(int index) { return cuda::status(index); }

}  // namespace kann
