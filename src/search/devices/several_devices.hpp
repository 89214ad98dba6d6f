// One search by several devices at once: each has all data and a part of the queries.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace kann::detail {

/// One of the devices that share a search.
struct PartSolver {
  std::string name;  ///< in messages, e.g. "cuda:1"
  double speed = 1;  ///< relative speed, which decides how many queries it gets
  /// Solves a part of the problem, whose rows go to Problem::rows. Called on a thread of its own.
  std::function<problem::Answer(const problem::Problem& part)> solve;
};

/// Where each device's queries begin, followed by the number of all queries. Each device gets consecutive rows, so that
/// its part of the result is one copy. Example: 10 queries at speeds 1 and 4 give 0 2 10. @pre all speeds are above 0.
std::vector<std::int64_t> part_bounds(std::int64_t queries, std::span<const PartSolver> devices);

/// Solves the problem on all devices at once. Each step time and the memory peak is the largest of any device; the
/// answer's device describes all devices that had queries. Problem::parts is called as in a search by one device: the
/// devices give their rows one after the other, and keep them until it is their turn. Blocks. When a device fails, the
/// others end with their next transfer.
/// @param result arrays that are used for the rows if they are large enough
/// @throws the first exception of a device, an Error with its name; Error resources where no thread can be started.
problem::Answer solve_divided(const problem::Problem& problem, std::span<const PartSolver> devices,
                              Neighbors result = {});

/// Describes several devices as one: "2 × NVIDIA H200", or the names between commas if they differ, and the sum of
/// their memory. A single device is returned as it is.
DeviceInfo together(std::span<const DeviceInfo> devices);

}  // namespace kann::detail
