// The processors that the system grants this process.
#pragma once

#include <filesystem>

namespace kann::base {

/// The number of processors that the process may use: the processors in its affinity mask (taskset, a cpuset), or fewer
/// if its control groups allow less processor time (a container with 0.5 of a processor). Always positive. The limit of
/// the control groups is read once; if memory does not suffice for that, there is none.
double granted_processors() noexcept;

/// Processor time per wall time that the control groups of this process, and the groups that contain them, allow: in
/// version 1, cpu.cfs_quota_us over cpu.cfs_period_us; in version 2, cpu.max. Infinite without a limit, or if it cannot
/// be read. `root` is where /proc and the mounted groups begin. Source: Linux, Documentation/admin-guide/cgroup-v1 and
/// cgroup-v2.rst; proc(5), cgroups(7).
double processor_quota(const std::filesystem::path& root = "/");

}  // namespace kann::base
