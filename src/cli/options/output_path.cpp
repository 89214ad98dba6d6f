#include "cli/options/output_path.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "kann/error.hpp"

#include "base/usage_error.hpp"
#include "cli/options/combinations.hpp"
#include "cli/options/output_pattern.hpp"
#include "formats/files/descriptor.hpp"
#include "formats/files/free_space.hpp"
#include "formats/files/output_file.hpp"
#include "formats/neighbors/neighbor_file.hpp"

namespace kann::cli {
namespace {

namespace fs = std::filesystem;

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

/// The identity of the file at `path`, where "-" is standard input; none if it is not a regular file.
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

/// Refuses an input whose path cannot be resolved (a circle of links, a name that is too long), as it cannot be
/// compared with the path of the result. A missing input is refused when it is read.
void check_resolves(const std::string& input) {
  struct stat status {};
  if (input != "-" && stat(input.c_str(), &status) != 0 && errno != ENOENT)
    throw Error(ErrorKind::bad_input, input + ": " + std::generic_category().message(errno));
}

/// The paths of the clouds, the list of jobs, the file of --compare and the configuration; after a usage error, those
/// that were read before it.
std::vector<std::string> inputs(const Options& options) {
  std::vector<std::string> paths;
  if (!options.data.empty()) paths.push_back(options.data);
  if (options.query) paths.push_back(*options.query);
  if (options.compare) paths.push_back(*options.compare);
  if (options.config) paths.push_back(*options.config);
  if (options.jobs) paths.push_back(*options.jobs);
  return paths;
}

/// Whether the job has output files of an option ("": of any option), and all of them exist. Existing files are
/// complete, since a file gets its name last.
bool exist_all(const Options& options, std::string_view option) {
  std::error_code ignored;
  bool has_any = false;
  for (const OutputPath& output : output_paths(options)) {
    if (!option.empty() && output.option != option) continue;
    if (!fs::is_regular_file(output.path, ignored)) return false;
    has_any = true;
  }
  return has_any;
}

/// Refuses a folder, and a file that cannot be written. A device or a FIFO is not tried, as its reader would
/// see it opened twice.
void check_can_be_written(const std::string& report, bool replace) {
  std::error_code ignored;
  const bool exists = fs::exists(report, ignored);
  if (!exists || identity(report) || fs::is_directory(report, ignored))
    formats::open_output(report, replace);  // creates a temporary file and removes it
}

/// The pattern with its placeholders replaced: by the stem and the name of the query file, the stem of the data file,
/// and the number of the job.
/// @throws Error usage, as filled_in().
std::string filled_in_for_job(const std::string& pattern, const Options& options, std::int64_t job_number) {
  const fs::path queries = options.query.value_or(options.data);
  return filled_in(pattern, {queries.stem().string(), queries.filename().string(),
                             fs::path(options.data).stem().string(), std::to_string(job_number)});
}

}  // namespace

std::string output_of_rank(const std::string& output, int rank, int ranks) {
  const fs::path path = output;
  const std::string name = fmt::format("{}.{}-of-{}{}", path.stem().string(), rank, ranks, path.extension().string());
  return (path.parent_path() / name).string();
}

std::vector<OutputPath> output_paths(const Options& options) {
  std::vector<OutputPath> paths;
  if (!options.output.empty() && options.output != "-") paths.push_back({options.output, "--output"});
  if (!paths.empty() && options.output_format == NeighborFormat::npy)
    paths.push_back({formats::distances_path(options.output), "--output"});
  if (options.picture) paths.push_back({*options.picture, "--picture"});
  return paths;
}

bool is_stdin(const std::string& path) {
  const std::string plain = fs::path(path).lexically_normal().string();
  return plain == "-" || plain == "/dev/stdin" || plain == "/dev/fd/0" || plain == "/proc/self/fd/0";
}

bool names_each_job(const std::string& output) {
  std::error_code ignored;
  return output.ends_with('/') || fs::is_directory(output, ignored) || has_placeholder(output);
}

void choose_output(Options& options, std::int64_t job_number) {
  const std::string& queries = options.query.value_or(options.data);
  const std::string stem = queries == "-" ? "stdin" : fs::path(queries).stem().string();
  const bool is_table = options.join && !options.output_format && !options.cloud_format;
  const std::string by_default =
      stem + (options.cluster ? ".clusters." : ".knn.") + (is_table ? "csv" : options.output_extension);
  std::error_code ignored;
  for (auto* const path : {&options.picture, &options.compare})
    if (*path) *path = filled_in_for_job(**path, options, job_number);
  if (!options.writes_result()) return check_is_written(options);
  options.makes_folder = options.output.ends_with('/') || has_placeholder(options.output);
  options.output = filled_in_for_job(options.output, options, job_number);
  if (options.output.empty())
    options.output = by_default;
  else if (options.output.ends_with('/'))
    options.output += by_default;
  else if (fs::is_directory(options.output, ignored))
    options.output += '/' + by_default;
  if (!options.output_format && !options.cloud_format) {
    const std::string extension = fs::path(options.output).extension().string();
    const std::string_view name = std::string_view(extension).substr(extension.empty() ? 0 : 1);
    options.output_format = neighbor_format(name);
    if (!options.output_format) options.cloud_format = cloud_format(name);
    if (options.output == "/dev/null") options.output_format = is_table ? NeighborFormat::csv : NeighborFormat::npz;
    if (!options.output_format && !options.cloud_format)
      base::fail_usage(options.output + ": unknown output format (got " +
                       (extension.empty() ? "no extension" : "extension '" + extension + "'") +
                       ", need .npz, .npy, .csv, .tsv, .bin, .ivecs, .ibin, .fvecs, .fbin, .mtx, .ply, .las or .laz); "
                       "--output-format names it, cloud-csv for a cloud as text");
  }
  if (options.writes_join() && !options.is_one_to_one() && !options.k_is_given) options.search.k = 1;
  check_output(options);
}

bool has_result(const Options& options) { return exist_all(options, ""); }

OutputFiles open_outputs(const Options& options) {
  const auto make_folder_of = [](const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    std::error_code error;
    if (!folder.empty()) fs::create_directories(folder, error);
    if (error) throw Error(ErrorKind::resources, folder.string() + ": " + error.message());
  };
  // With skip_existing, files that exist stay. What a killed run leaves of a result's two files is the second, which is
  // replaced, and so is a file that another run of the batch writes in the meantime.
  const auto replaces = [&](const std::string& path) {
    std::error_code ignored;
    return options.force || (options.skip_existing && !fs::exists(path, ignored));
  };
  const auto stays = [&](std::string_view option) {
    return options.skip_existing && !options.force && exist_all(options, option);
  };
  OutputFiles files;
  if (options.writes_result() && !stays("--output")) {
    if (options.makes_folder) make_folder_of(options.output);
    if (options.cloud_format)
      files.cloud.emplace(options.output, *options.cloud_format, replaces(options.output));
    else if (options.writes_table())
      files.table = formats::open_output(options.output, replaces(options.output));
    else
      files.result.emplace(options.output, *options.output_format, replaces(options.output));
  }
  if (options.picture && !stays("--picture")) {
    if (options.is_batch_job) make_folder_of(*options.picture);
    files.picture = formats::open_output(*options.picture, replaces(*options.picture));
  }
  return files;
}

fs::path nearest_folder(fs::path folder) {
  std::error_code ignored;
  while (folder.has_relative_path() && !fs::exists(folder, ignored)) folder = folder.parent_path();
  return folder;
}

void check_outputs(const Options& options) {
  for (const OutputPath& output : output_paths(options)) {
    const bool makes_folder = output.option == "--output" ? options.makes_folder : options.is_batch_job;
    const fs::path folder = fs::path(output.path).parent_path();
    std::error_code ignored;
    if (!makes_folder || folder.empty() || fs::exists(folder, ignored)) {
      formats::check_output_path(output.path);
      continue;
    }
    if (const int obstacle = formats::obstacle_to_files(nearest_folder(folder)))
      throw Error(ErrorKind::resources, folder.string() + ": " + std::generic_category().message(obstacle));
  }
}

void protect_inputs(const Options& options) {
  const std::vector<OutputPath> outputs = output_paths(options);
  for (const std::string& input : inputs(options)) {
    check_resolves(input);
    if (is_stdout(input)) base::fail_usage("stdout: is the input " + input + "; send it elsewhere");
    for (const OutputPath& output : outputs)
      if (same_file(input, output.path))
        base::fail_usage(output.path + ": is the input " + input + "; choose another " + std::string(output.option));
  }
  for (std::size_t i = 1; i < outputs.size(); ++i)  // outputs of the same option have different names
    for (const OutputPath& other : std::span(outputs).first(i))
      if (other.option != outputs[i].option && same_file(other.path, outputs[i].path))
        base::fail_usage(fmt::format("{}: is the result too; choose another {}", other.path, outputs[i].option));
}

namespace {

/// Whether a file is empty, or begins as reports and pages do: so no cloud does, which a list on standard input may
/// name only later.
bool may_be_report(const std::string& path) {
  const formats::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char first = '{';
  return read(file.get(), &first, 1) >= 0 && (first == '{' || first == '<');
}

/// Protects all other files from that of an option.
void protect_files_from(const std::string& report, const Options& options, const std::string& option) {
  const std::string hint = "; choose another " + option;
  for (const std::string& input : inputs(options))
    if (same_file(input, report)) base::fail_usage(report + ": is the input " + input + hint);
  for (const OutputPath& output : output_paths(options))
    if (same_file(output.path, report))
      base::fail_usage(report + ": is " +
                       (output.option == "--output" ? "the result" : "that of " + std::string(output.option)) + " too" +
                       hint);
  if (options.is_batch_job) return;  // the batch has begun the report
  const bool are_inputs_known = options.force && options.jobs != "-";
  if (replaces_reports(options) && !are_inputs_known && identity(report) && !may_be_report(report))
    base::fail_usage(report + ": exists, and is no report or page" + hint);
  options.plan ? formats::check_output_path(report) : check_can_be_written(report, replaces_reports(options));
}

}  // namespace

bool replaces_reports(const Options& options) { return options.force || options.skip_existing; }

void protect_files_from_report(const Options& options) {
  if (options.report) protect_files_from(*options.report, options, "--report");
}

void protect_files_from_page(const Options& options) {
  if (!options.html) return;
  if (options.report && same_file(*options.report, *options.html))
    base::fail_usage(*options.html + ": is that of --report too; choose another --html");
  protect_files_from(*options.html, options, "--html");
}

}  // namespace kann::cli
