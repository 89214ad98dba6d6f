#include "cli/output_path.hpp"

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "kann/error.hpp"

#include "cli/earlier_report.hpp"
#include "io/files/output_file.hpp"
#include "io/results/neighbor_file.hpp"

namespace kann::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::usage, message); }

/// The identity of a regular file, the same under all its paths.
struct FileIdentity {
  dev_t device;
  ino_t inode;
  bool operator==(const FileIdentity&) const = default;
};

std::optional<FileIdentity> identity(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

/// "-" is standard input. None: the path is not that of a regular file.
std::optional<FileIdentity> identity(const std::string& path) {
  struct stat status {};
  const int failed = path == "-" ? fstat(STDIN_FILENO, &status) : stat(path.c_str(), &status);
  return failed ? std::nullopt : identity(status);
}

bool is_stdout(const std::string& input) {
  struct stat status {};
  const auto output = fstat(STDOUT_FILENO, &status) == 0 ? identity(status) : std::nullopt;
  return output && output == identity(input);
}

bool same_file(const std::string& a, const std::string& b) {
  const auto first = identity(a);
  if (first) return first == identity(b);
  if (a == "-" || b == "-") return false;
  const auto resolved = [](const std::string& path) {  // the file does not exist yet, so paths are compared
    std::error_code error;
    const fs::path whole = fs::absolute(path, error);
    const fs::path canonical = fs::weakly_canonical(whole, error);
    return error ? whole.lexically_normal() : canonical;
  };
  return resolved(a) == resolved(b);
}

/// Refuses an input whose path cannot be resolved (a circle of links, a name too long), as it cannot be compared with
/// the result's. A missing input is refused when it is read.
void check_resolves(const std::string& input) {
  struct stat status {};
  if (input != "-" && stat(input.c_str(), &status) != 0 && errno != ENOENT)
    throw Error(ErrorKind::bad_input, input + ": " + std::generic_category().message(errno));
}

/// The paths of the clouds and of the configuration; after a usage error, those read before it.
std::vector<std::string> inputs(const Options& options) {
  std::vector<std::string> paths;
  if (!options.data.empty()) paths.push_back(options.data);
  if (options.query) paths.push_back(*options.query);
  if (options.config) paths.push_back(*options.config);
  return paths;
}

/// The files of the result. The format npy has a second one, for the distances.
std::vector<std::string> results(const Options& options) {
  std::vector<std::string> paths;
  if (options.output.empty() || options.output == "-") return paths;
  paths.push_back(options.output);
  if (options.output_format == NeighborFormat::npy) paths.push_back(io::distances_path(options.output));
  return paths;
}

/// Refuses a folder, and a file that cannot be written. A device or a FIFO is not tried, as its reader would
/// see it opened twice.
void check_can_be_written(const std::string& report) {
  std::error_code ignored;
  const bool exists = fs::exists(report, ignored);
  if (!exists || identity(report) || fs::is_directory(report, ignored))
    io::open_output(report, true);  // creates a temporary file and removes it
}

}  // namespace

void choose_output(Options& options) {
  if (options.output.empty()) {
    const std::string& queries = options.query.value_or(options.data);
    const std::string stem = queries == "-" ? "stdin" : fs::path(queries).stem().string();
    options.output = stem + ".knn." + options.output_extension;
  }
  if (!options.output_format) {
    const std::string extension = fs::path(options.output).extension().string();
    options.output_format = neighbor_format(std::string_view(extension).substr(extension.empty() ? 0 : 1));
    if (!options.output_format)
      fail(options.output + ": unknown output format (got " +
           (extension.empty() ? "no extension" : "extension '" + extension + "'") +
           ", need .npz, .npy, .csv, .tsv, .bin, .ivecs, .ibin, .fvecs or .fbin); --output-format names it too");
  }
}

void protect_inputs(const Options& options) {
  for (const std::string& input : inputs(options)) {
    check_resolves(input);
    if (is_stdout(input)) fail("stdout: is the input " + input + "; send it elsewhere");
    for (const std::string& result : results(options))
      if (same_file(input, result)) fail(result + ": is the input " + input + "; choose another --output");
  }
}

void protect_files_from_report(const Options& options) {
  if (!options.report) return;
  const std::string& report = *options.report;
  for (const std::string& input : inputs(options))
    if (same_file(input, report)) fail(report + ": is the input " + input + "; choose another --report");
  for (const std::string& result : results(options))
    if (same_file(result, report)) fail(report + ": is the result too; choose another --report");
  if (identity(report) && !is_empty_or_report(report))
    fail(report + ": exists and is no report of an earlier run; choose another --report");
  check_can_be_written(report);
}

}  // namespace kann::cli
