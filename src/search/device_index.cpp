#include "kann/device_index.hpp"

#include <optional>
#include <string>

#include "kann/error.hpp"

#include "base/float_environment.hpp"
#include "cuda/backend.hpp"
#include "cuda/device_index.hpp"
#include "problem/prepare.hpp"
#include "problem/valid_points.hpp"

namespace kann {
namespace {

const PointsView& checked(const PointsView& data, const DeviceIndexOptions& options) {
  problem::check_count(data, options.data_name);
  if (const CudaStatus status = cuda::status(options.device); !status.usable)
    throw Error(ErrorKind::no_device, "no CUDA device (" + status.reason + ")");
  return data;
}

void check_groups(const DeviceGroups& groups, std::int64_t k) {
  constexpr std::int64_t most = 64;
  if (groups.data && k > most)
    throw Error(ErrorKind::usage, "in groups on a device, k is at most 64, got " + std::to_string(k));
}

}  // namespace

struct DeviceIndex::State {
  PointsView data;
  cuda::DeviceIndex index;
};

DeviceIndex::DeviceIndex(const PointsView& data, const DeviceIndexOptions& options) {
  const base::DefaultFloatEnvironment environment;
  state_.reset(new State{checked(data, options), {data, options}});
}
DeviceIndex::~DeviceIndex() = default;
DeviceIndex::DeviceIndex(DeviceIndex&&) noexcept = default;
DeviceIndex& DeviceIndex::operator=(DeviceIndex&&) noexcept = default;

void DeviceIndex::queue_search(const PointsView& queries, const DeviceNeighbors& neighbors, std::int64_t k,
                               CUstream_st* stream, std::optional<double> radius, const DeviceGroups& groups) const {
  const base::DefaultFloatEnvironment environment;
  const problem::SurveyedData& data = state_->index.data();
  problem::check_device_queries(queries, data);
  check_groups(groups, k);
  state_->index.queue(problem::exact_problem(data, k, radius, queries.size()),
                      {queries, neighbors.ids, neighbors.distances, stream, radius, groups});
}

void DeviceIndex::queue_search_self(const DeviceNeighbors& neighbors, std::int64_t k, CUstream_st* stream,
                                    std::optional<double> radius, const DeviceGroups& groups) const {
  const base::DefaultFloatEnvironment environment;
  const problem::SurveyedData& data = state_->index.data();
  check_groups(groups, k);
  problem::Problem problem = problem::exact_problem(data, k, radius, data.count());
  problem.drop_self = true;
  state_->index.queue(problem, {state_->data, neighbors.ids, neighbors.distances, stream, radius, groups});
}

void DeviceIndex::queue_lists(const std::optional<PointsView>& queries, const DeviceLists& lists, double radius,
                              CUstream_st* stream, const DeviceGroups& groups) const {
  const base::DefaultFloatEnvironment environment;
  const problem::SurveyedData& data = state_->index.data();
  if (queries) problem::check_device_queries(*queries, data);
  problem::Problem problem = problem::exact_problem(data, 1, radius, queries ? queries->size() : data.count());
  problem.list_radius = radius;
  problem.drop_self = !queries;
  state_->index.queue(problem, {queries.value_or(state_->data), nullptr, nullptr, stream, {}, groups, lists});
}

std::int64_t DeviceIndex::size() const { return state_->data.size(); }
int DeviceIndex::dimensions() const { return state_->data.dimensions; }

}  // namespace kann
