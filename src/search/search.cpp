#include "kann/search.hpp"

#include <optional>
#include <utility>

#include "cuda/backend.hpp"
#include "problem/prepare.hpp"
#include "search/run_periodic.hpp"
#include "search/run_search.hpp"

namespace kann {
namespace {

SearchResult search_once(const PointsView& data, const std::optional<PointsView>& queries,
                         const SearchOptions& options) {
  if (!options.periodic.empty())
    return detail::run_periodic(data, {}, queries, {options.invalid, options.threads, options.data_name}, options);
  return detail::run_search(options, nullptr, [&] { return problem::prepare(data, queries, options); });
}

}  // namespace

SearchResult search(const PointsView& data, const PointsView& queries, const SearchOptions& options) {
  return search_once(data, queries, options);
}

SearchResult search_self(const PointsView& data, const SearchOptions& options) {
  return search_once(data, {}, options);
}

CudaStatus cuda_status(int index) { return cuda::status(index); }

}  // namespace kann
