// The processors that the system grants this process.
#pragma once

#include <filesystem>

namespace kann::base {

/// Processors that the process may use: those of its affinity mask (taskset, a cpuset), and no more time of them than
/// its control groups allow (a container with 0.5 of a processor). At least a tiny positive number. The limit of the
/// control groups is read once, and is none where memory does not suffice for that.
double granted_processors() noexcept;

/// The processors' time per time that the control groups of this process allow, of version 1 (cpu.cfs_quota_us over
/// cpu.cfs_period_us) or 2 (cpu.max), those that they are in included; infinite without a limit, or where it cannot be
/// read. `root` is where /proc and the mounted groups begin. Source: Linux, Documentation/admin-guide/cgroup-v1 and
/// cgroup-v2.rst; proc(5), cgroups(7).
double processor_quota(const std::filesystem::path& root = "/");

}  // namespace kann::base
