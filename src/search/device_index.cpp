#include "kann/device_index.hpp"

#include <optional>
#include <string>
#include <variant>

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

/// Refuses groups that have not a number for each of some points.
void check_groups(const std::optional<DeviceGroups>& groups, const PointsView& points) {
  if (!groups) return;
  const auto numbers = static_cast<std::int64_t>(std::visit([](const auto& all) { return all.size(); }, *groups));
  if (numbers != points.size())
    throw Error(ErrorKind::bad_input,
                "groups: " + std::to_string(numbers) + " numbers for " + std::to_string(points.size()) + " points");
}

}  // namespace

struct DeviceIndex::State {
  PointsView data;
  bool has_groups;
  cuda::DeviceIndex index;

  void check_k(std::int64_t k) const {
    constexpr std::int64_t most = 64;
    if (has_groups && k > most)
      throw Error(ErrorKind::usage, "in groups on a device, k is at most 64, got " + std::to_string(k));
  }

  void check_queries(const PointsView& queries, const std::optional<DeviceGroups>& groups) const {
    problem::check_device_queries(queries, index.data());
    check_groups(groups, queries);
    if (has_groups != groups.has_value())
      throw Error(ErrorKind::bad_input, has_groups ? "groups: the data have some, and the queries have none"
                                                   : "groups: the queries have some, and the data have none");
  }
};

DeviceIndex::DeviceIndex(const PointsView& data, const DeviceIndexOptions& options) {
  const base::DefaultFloatEnvironment environment;
  check_groups(options.groups, data);
  state_.reset(new State{checked(data, options), options.groups.has_value(), {data, options}});
}
DeviceIndex::~DeviceIndex() = default;
DeviceIndex::DeviceIndex(DeviceIndex&&) noexcept = default;
DeviceIndex& DeviceIndex::operator=(DeviceIndex&&) noexcept = default;

void DeviceIndex::queue_search(const PointsView& queries, const DeviceNeighbors& neighbors, std::int64_t k,
                               CUstream_st* stream, std::optional<double> radius,
                               const std::optional<DeviceGroups>& groups) const {
  const base::DefaultFloatEnvironment environment;
  state_->check_k(k);
  state_->check_queries(queries, groups);
  state_->index.queue(problem::exact_problem(state_->index.data(), k, radius, queries.size()),
                      {queries, neighbors.ids, neighbors.distances, stream, radius, groups});
}

void DeviceIndex::queue_search_self(const DeviceNeighbors& neighbors, std::int64_t k, CUstream_st* stream,
                                    std::optional<double> radius) const {
  const base::DefaultFloatEnvironment environment;
  const problem::SurveyedData& data = state_->index.data();
  state_->check_k(k);
  problem::Problem problem = problem::exact_problem(data, k, radius, data.count());
  problem.drop_self = true;
  state_->index.queue(problem, {state_->data, neighbors.ids, neighbors.distances, stream, radius});
}

void DeviceIndex::queue_lists(const std::optional<PointsView>& queries, const DeviceLists& lists, double radius,
                              CUstream_st* stream, const std::optional<DeviceGroups>& groups) const {
  const base::DefaultFloatEnvironment environment;
  const problem::SurveyedData& data = state_->index.data();
  if (queries) state_->check_queries(*queries, groups);
  problem::Problem problem = problem::exact_problem(data, 1, radius, queries ? queries->size() : data.count());
  problem.list_radius = radius;
  problem.drop_self = !queries;
  state_->index.queue(problem, {queries.value_or(state_->data), nullptr, nullptr, stream, {}, groups, lists});
}

std::int64_t DeviceIndex::size() const { return state_->data.size(); }
int DeviceIndex::dimensions() const { return state_->data.dimensions; }

}  // namespace kann
