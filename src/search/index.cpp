#include "kann/index.hpp"

#include <optional>
#include <utility>

#include "base/float_environment.hpp"
#include "base/parallel.hpp"
#include "cpu/backend.hpp"
#include "problem/prepare.hpp"
#include "search/run_periodic.hpp"
#include "search/run_search.hpp"

namespace kann {

struct Index::State {
  IndexOptions of_data;
  std::shared_ptr<const problem::PreparedData> data;
  cpu::Index cpu;

  SearchResult search(const std::optional<PointsView>& queries, const SearchOptions& options) {
    return detail::run_search(options, &cpu, [&] { return problem::prepare_queries(data, queries, options); });
  }
};

Index::Index(const PointsView& data, const IndexOptions& options) : state_(std::make_unique<State>()) {
  const base::DefaultFloatEnvironment environment;
  state_->of_data = options;
  state_->data = std::make_shared<const problem::PreparedData>(data, options.data_name, options.invalid,
                                                               base::thread_count(options.threads));
}
Index::~Index() = default;
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;

SearchResult Index::search(const PointsView& queries, const SearchOptions& options) const {
  if (!options.periodic.empty())
    return detail::run_periodic(state_->data->points, this, queries, state_->of_data, options);
  return state_->search(queries, options);
}
SearchResult Index::search_self(const SearchOptions& options) const {
  if (!options.periodic.empty()) return detail::run_periodic(state_->data->points, this, {}, state_->of_data, options);
  return state_->search({}, options);
}

std::int64_t Index::size() const { return state_->data->points.size(); }
int Index::dimensions() const { return state_->data->points.dimensions; }

}  // namespace kann
