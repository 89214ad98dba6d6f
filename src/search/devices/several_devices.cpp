#include "search/devices/several_devices.hpp"

#include <algorithm>
#include <condition_variable>
#include <fmt/format.h>
#include <iterator>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "kann/error.hpp"

#include "base/threads/first_exception.hpp"
#include "base/threads/signal_stack.hpp"
#include "problem/problem.hpp"

namespace kann::detail {
namespace {

using problem::Answer;
using problem::Problem;

/// Thrown to end the transfer of a device after another device has failed, or the caller that takes the rows.
struct Ended {};

/// The problem of queries [begin, end) of `whole`; query i of the part is query begin + i of `whole`. A row depends
/// only on its query, the data and the options, so it is the row of `whole`. The part has no on_progress, no `parts`,
/// and no arrays for its rows. It shares the pointers of `whole`.
Problem part_of(const Problem& whole, std::int64_t begin, std::int64_t end) {
  Problem part = whole;
  part.queries = whole.queries + begin * whole.dimensions;
  if (whole.given_queries) part.given_queries = whole.given_queries + begin * whole.dimensions;
  part.query_count = end - begin;
  if (whole.queries_are_data()) part.first_query = whole.first_query + begin;
  part.rows = {};
  part.on_progress = nullptr;
  part.parts = {};
  return part;
}

/// Lets parts give their rows one after the other.
class Turns {
 public:
  explicit Turns(std::size_t parts) : have_ended_(parts) {}

  /// Waits until all parts before `part` have ended. @throws Ended if one of these has failed.
  void wait_for(std::size_t part, const base::FirstException& first) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return std::ranges::count(std::span(have_ended_).first(part), 0) == 0; });
    if (first.caught()) throw Ended();
  }

  void end(std::size_t part) {
    const std::lock_guard lock(mutex_);
    have_ended_[part] = 1;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<char> have_ended_;
};

/// Keeps the longest time of each step, as the devices work side by side.
void take_longest(StepSeconds& steps, const StepSeconds& others) {
  for (double StepSeconds::*const step :
       {&StepSeconds::upload, &StepSeconds::encode, &StepSeconds::sort, &StepSeconds::rank, &StepSeconds::boxes,
        &StepSeconds::select, &StepSeconds::rows, &StepSeconds::download})
    steps.*step = std::max(steps.*step, others.*step);
}

/// The search of one problem by several devices.
class DividedSearch {
 public:
  DividedSearch(const Problem& p, std::span<const PartSolver> devices, Neighbors& out)
      : p_(p),
        devices_(devices),
        bounds_(part_bounds(p.query_count, devices)),
        answers_(devices.size()),
        turns_(devices.size()) {
    const int threads = std::max(1, p.threads / static_cast<int>(std::ssize(devices)));
    for (std::size_t i = 0; i < devices.size(); ++i) {
      Problem& part = parts_.emplace_back(part_of(p, bounds_[i], bounds_[i + 1]));
      if (p.parts.take)
        part.parts = {std::max<std::int64_t>(1, p.parts.at_once / std::ssize(devices)),
                      [this, i](std::int64_t first, Neighbors& rows) {
                        turns_.wait_for(i, first_);
                        first_.capture([&] { p_.parts.take(bounds_[i] + first, rows); });
                        if (first_.caught()) throw Ended();
                      }};
      else
        part.rows = {out.ids.data() + bounds_[i] * p.k, out.distances.data() + bounds_[i] * p.k};
      part.threads = threads;
    }
  }

  void run() {
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 1; i < parts_.size() && !first_.caught(); ++i) first_.capture([&] { start(threads, i); });
      solve(0);
    }
    first_.rethrow();
  }

  /// The merged answer, without its rows.
  Answer merged() {
    Answer all;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].query_count == 0) continue;
      const Answer& part = answers_[i];
      take_longest(all.steps, part.steps);
      all.device_peak_bytes = std::max(all.device_peak_bytes, part.device_peak_bytes);
      all.devices.push_back(part.device);
    }
    all.device = together(all.devices);
    if (all.devices.size() == 1) all.devices.clear();
    if (p_.list_radius) all.lists = joined_lists();
    return all;
  }

 private:
  /// The lists of all parts, or their begins alone, if they have more neighbours together than are wanted.
  NeighborLists joined_lists() {
    NeighborLists all;
    all.begins.push_back(0);
    for (const Answer& part : answers_)
      for (std::int64_t row = 0; row < part.lists.queries(); ++row)
        all.begins.push_back(all.begins.back() + part.lists.begins[row + 1] - part.lists.begins[row]);
    if (all.neighbors() > p_.most_listed) return all;
    for (Answer& part : answers_) {
      all.ids.insert(all.ids.end(), part.lists.ids.begin(), part.lists.ids.end());
      all.distances.insert(all.distances.end(), part.lists.distances.begin(), part.lists.distances.end());
      part.lists = {};
    }
    return all;
  }

  void start(std::vector<std::jthread>& threads, std::size_t i) {
    try {
      threads.emplace_back([this, i] {
        const base::SignalStack stack;
        solve(i);
      });
    } catch (const std::system_error& e) {
      throw Error(ErrorKind::resources, "no thread for " + devices_[i].name + ": " + e.what());
    }
  }

  void solve(std::size_t i) {
    first_.capture([&] {
      if (parts_[i].query_count == 0 || first_.caught()) return;
      try {
        answers_[i] = devices_[i].solve(parts_[i]);
      } catch (const Error& e) {
        throw Error(e.kind(), devices_[i].name + ": " + e.what());
      }
    });
    turns_.end(i);
  }

  const Problem& p_;
  const std::span<const PartSolver> devices_;
  const std::vector<std::int64_t> bounds_;
  std::vector<Problem> parts_;
  std::vector<Answer> answers_;
  base::FirstException first_;
  Turns turns_;
};

}  // namespace

std::vector<std::int64_t> part_bounds(std::int64_t queries, std::span<const PartSolver> devices) {
  double sum = 0;
  std::vector<double> ends;
  for (const PartSolver& device : devices) ends.push_back(sum += device.speed);
  std::vector<std::int64_t> bounds = {0};
  for (const double end : ends) bounds.push_back(static_cast<std::int64_t>(static_cast<double>(queries) * (end / sum)));
  bounds.back() = queries;
  return bounds;
}

Answer solve_divided(const Problem& p, std::span<const PartSolver> devices, Neighbors result) {
  if (p.query_count == 0) return devices[0].solve(p);
  p.progress("search", 0);
  Neighbors out = std::move(result);
  if (!p.parts.take) {
    out.queries = p.query_count;
    out.k = p.k;
    out.ids.resize(static_cast<std::size_t>(out.queries * out.k));
    out.distances.resize(out.ids.size());
  }
  DividedSearch search(p, devices, out);
  search.run();
  Answer answer = search.merged();
  answer.neighbors = std::move(out);
  p.progress("search", 1);
  return answer;
}

DeviceInfo together(std::span<const DeviceInfo> devices) {
  DeviceInfo all = devices[0];
  if (devices.size() == 1) return all;
  const bool are_alike = std::ranges::all_of(devices, [&](const DeviceInfo& d) { return d.name == all.name; });
  if (are_alike) all.name = fmt::format("{} × {}", devices.size(), all.name);
  for (const DeviceInfo& device : devices.subspan(1)) {
    all.memory_bytes += device.memory_bytes;
    if (!are_alike) all.name += ", " + device.name;
  }
  return all;
}

}  // namespace kann::detail
