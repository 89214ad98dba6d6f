#include "kann/index.hpp"

#include <optional>

#include "kann/error.hpp"

#include "base/float_environment.hpp"
#include "base/threads/parallel.hpp"
#include "problem/prepare.hpp"
#include "search/run_placed.hpp"
#include "search/run_search.hpp"
#include "search/search.hpp"
#include "search/search_radius.hpp"

namespace kann {

struct Index::State {
  IndexOptions of_data;
  std::shared_ptr<const problem::PreparedData> data;
  detail::KeptIndexes devices;
  detail::KeptPlacedData placed;

  static State& of(const Index& index) { return *index.state_; }
};

SearchResult detail::search(const Index& index, const std::optional<PointsView>& queries,
                            const SearchOptions& options) {
  Index::State& s = Index::State::of(index);
  if (are_placed(options)) return run_placed(s.data->points, AskedIndex{index, s.placed}, queries, s.of_data, options);
  return run_search(options, &s.devices, [&] { return problem::prepare_queries(s.data, queries, options); });
}

SearchResult detail::search_in_parts(const Index& index, const std::optional<PointsView>& queries, std::int64_t first,
                                     std::int64_t count, const SearchOptions& options, const problem::RowParts& parts) {
  Index::State& s = Index::State::of(index);
  const auto prepare = [&] {
    return queries ? problem::prepare_queries(s.data, queries, options)
                   : problem::prepare_own_rows(s.data, first, count, options);
  };
  return run_search(options, &s.devices, prepare, parts);
}

const problem::SurveyedData& detail::data_of(const Index& index) { return *Index::State::of(index).data; }

RadiusResult detail::search_radius(const Index& index, const std::optional<PointsView>& queries,
                                   const SearchOptions& given, std::int64_t most_listed,
                                   std::optional<std::int64_t> own) {
  Index::State& s = Index::State::of(index);
  if (are_placed(given))
    return run_placed_lists(s.data->points, AskedIndex{index, s.placed}, queries, s.of_data, given, most_listed, {},
                            own);
  const SearchOptions options = radius_options(given);
  return run_radius(
      options, &s.devices, [&] { return problem::prepare_queries(s.data, queries, options); }, most_listed);
}

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
  return detail::search(*this, queries, options);
}
SearchResult Index::search_self(const SearchOptions& options) const {
  return detail::search(*this, std::nullopt, options);
}

RadiusResult Index::search_radius(const PointsView& queries, const SearchOptions& options) const {
  const std::int64_t most = detail::most_in_memory(size(), queries.size(), options);
  return detail::with_lists(detail::search_radius(*this, queries, options, most), most);
}
RadiusResult Index::search_radius_self(const SearchOptions& options) const {
  const std::int64_t most = detail::most_in_memory(size(), size(), options);
  return detail::with_lists(detail::search_radius(*this, std::nullopt, options, most), most);
}
RadiusResult Index::count_radius(const PointsView& queries, const SearchOptions& options) const {
  return detail::search_radius(*this, queries, options, -1);
}
RadiusResult Index::count_radius_self(const SearchOptions& options) const {
  return detail::search_radius(*this, std::nullopt, options, -1);
}

void Index::queue_search(const PointsView& queries, const DeviceNeighbors& neighbors,
                         const DeviceSearch& search) const {
  const base::DefaultFloatEnvironment environment;
  const problem::PreparedData& data = *state_->data;
  problem::check_device_queries(queries, data);
  problem::Problem problem = problem::exact_problem(data, search.k, search.radius, queries.size());
  problem.threads = base::thread_count(0);
  problem.data = data.in_frame();
  if (data.needs_given(std::holds_alternative<std::span<const float>>(queries.coordinates)))
    problem.given_data = data.as_float64(problem.threads);
  const CudaStatus status = cuda::status(search.device);
  if (!status.usable) throw Error(ErrorKind::no_device, "no CUDA device (" + status.reason + ")");
  state_->devices.on_cuda(search.device)
      .queue(problem, data, {queries, neighbors.ids, neighbors.distances, search.stream, search.radius});
}

std::int64_t Index::size() const { return state_->data->points.size(); }
int Index::dimensions() const { return state_->data->points.dimensions; }

}  // namespace kann
