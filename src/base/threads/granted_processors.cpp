#include "base/threads/granted_processors.hpp"

#include <algorithm>
#include <exception>
#include <fstream>
#include <limits>
#include <optional>
#include <sched.h>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace kann::base {
namespace {

namespace fs = std::filesystem;

constexpr double k_no_quota = std::numeric_limits<double>::infinity();

/// Whether `word` is in a list of words between commas. Example: "cpu,cpuacct" has "cpu".
bool has_word(const std::string& list, const std::string& word) {
  std::istringstream words(list);
  for (std::string each; std::getline(words, each, ',');)
    if (each == word) return true;
  return false;
}

/// A hierarchy of control groups that is mounted, in a line of /proc/self/mountinfo:
///   36 35 0:29 ROOT FOLDER rw,relatime - cgroup cgroup rw,cpu
struct Mount {
  fs::path root;    ///< the control group that is mounted
  fs::path folder;  ///< where it is mounted
  bool is_v2;
};

/// The mount that a line describes, if its hierarchy limits processors.
std::optional<Mount> mount_of(const std::string& line) {
  std::istringstream words(line);
  std::string id, parent, device, root, folder, word, type, source, options;
  words >> id >> parent >> device >> root >> folder;
  while (words >> word && word != "-") continue;
  words >> type >> source >> options;
  if (type == "cgroup2") return Mount{root, folder, true};
  if (type == "cgroup" && has_word(options, "cpu")) return Mount{root, folder, false};
  return std::nullopt;
}

/// The control group of this process, read from the lines NUMBER:CONTROLLERS:GROUP of /proc/self/cgroup; in version 2,
/// CONTROLLERS is empty.
fs::path group_of(const fs::path& file, bool is_v2) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (is_v2 ? controllers.empty() : has_word(controllers, "cpu")) return line.substr(second + 1);
  }
  return "/";
}

/// The limit of the control group in `folder`.
double quota_in(const fs::path& folder, bool is_v2) {
  double quota = -1, period = 0;
  if (is_v2) {
    std::ifstream(folder / "cpu.max") >> quota >> period;  // "max 100000" is no number: no limit
  } else {
    std::ifstream(folder / "cpu.cfs_quota_us") >> quota;
    std::ifstream(folder / "cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? quota / period : k_no_quota;
}

/// The lowest limit among the group of this process and the groups that contain it, as far as they are mounted.
double quota_of(const fs::path& root, const Mount& mount) {
  const fs::path group = group_of(root / "proc/self/cgroup", mount.is_v2);
  const fs::path mounted = root / mount.folder.relative_path();
  fs::path below = group.lexically_relative(mount.root);
  if (below.empty() || *below.begin() == "..") below = ".";  // the process is elsewhere: the mounted group must do
  double quota = quota_in(mounted, mount.is_v2);
  fs::path folder = mounted;
  for (const fs::path& name : below) {
    if (name == ".") continue;
    folder /= name;
    quota = std::min(quota, quota_in(folder, mount.is_v2));
  }
  return quota;
}

double processors_of_mask() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return std::max(1u, std::thread::hardware_concurrency());  // more than 1,024 processors
}

}  // namespace

double processor_quota(const fs::path& root) {
  double quota = k_no_quota;
  std::ifstream lines(root / "proc/self/mountinfo");
  for (std::string line; std::getline(lines, line);)
    if (const std::optional<Mount> mount = mount_of(line)) quota = std::min(quota, quota_of(root, *mount));
  return quota;
}

double granted_processors() noexcept {
  static const double quota = [] {
    try {
      return processor_quota();
    } catch (const std::exception&) {  // no memory to read them
      return k_no_quota;
    }
  }();
  return std::min(processors_of_mask(), quota);
}

}  // namespace kann::base
