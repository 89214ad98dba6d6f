#include "cli/batch/job_entry.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "cli/facts/read_json.hpp"
#include "cli/options/output_path.hpp"

namespace kann::cli {
namespace {

constexpr std::string_view k_expected = "expected data<TAB>query<TAB>output, or a JSON object with these keys";

JobEntry faulty(std::string fault) {
  JobEntry entry;
  entry.fault = std::move(fault);
  return entry;
}

JobEntry entry_of(std::string data, std::string query, std::string output) {
  JobEntry entry;
  entry.data = std::move(data);
  if (!query.empty()) entry.query = std::move(query);
  entry.output = std::move(output);
  return entry;
}

JobEntry read_object(std::string_view line) {
  const auto object = read_json(line);
  if (!object) return faulty(std::string(k_expected) + " (got no valid JSON object)");
  if (!object->twice.empty()) return faulty("the key '" + object->twice + "' is there twice");
  std::string data, query, output;
  for (const auto& [name, value] : object->values) {
    std::string* const path = name == "data" ? &data : name == "query" ? &query : name == "output" ? &output : nullptr;
    if (!path) return faulty("unknown key '" + name + "'; a job has data, query and output");
    if (std::holds_alternative<std::monostate>(value)) continue;
    const auto* const text = std::get_if<std::string>(&value);
    if (!text) return faulty("'" + name + "' is not a text");
    if (text->empty()) return faulty("'" + name + "' is empty");
    if (text->find('\0') != std::string::npos) return faulty("a file name cannot hold a NUL");
    *path = *text;
  }
  return entry_of(std::move(data), std::move(query), std::move(output));
}

}  // namespace

std::string name_of(const JobEntry& job) { return job.where.empty() ? job.query.value_or(job.data) : job.where; }

std::string with_name(const JobEntry& job, const std::string& message) {
  const std::string begin = name_of(job) + ":";
  return message.starts_with(begin) ? message : begin + " " + message;
}

JobEntry read_job_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find('\0') != std::string_view::npos) return faulty("a file name cannot hold a NUL");
  if (line.substr(0, line.find_first_not_of(" \t") + 1).ends_with('{')) return read_object(line);
  std::vector<std::string> fields;
  for (std::string_view rest = line;;) {
    const std::size_t tab = rest.find('\t');
    fields.emplace_back(rest.substr(0, tab));
    if (tab == std::string_view::npos) break;
    rest.remove_prefix(tab + 1);
  }
  if (fields.size() > 3) return faulty(std::string(k_expected) + " (got " + std::to_string(fields.size()) + " fields)");
  const bool is_one_file = fields.size() == 1;
  fields.resize(3);
  JobEntry entry = entry_of(std::move(fields[0]), std::move(fields[1]), std::move(fields[2]));
  entry.is_one_file = is_one_file;
  return entry;
}

Options options_of(const JobEntry& entry, const Options& batch) {
  Options options = batch;
  if (batch.grid && entry.query)
    throw Error(ErrorKind::usage, "names queries, and those of --grid are the cells of a grid");
  const bool is_query = entry.is_one_file && !batch.data.empty() && !batch.grid;
  if (!entry.data.empty() && !is_query) options.data = entry.data;
  if (options.data.empty())
    throw Error(ErrorKind::usage, "names no data, and there is no --data; " + std::string(k_expected));
  options.query = is_query ? entry.data : entry.query;
  for (const std::string& path : {options.data, options.query.value_or(options.data)})
    if (batch.jobs == "-" && is_stdin(path))
      throw Error(ErrorKind::usage, path + ": the list of jobs is read from standard input; give a file");
  if (options.data == "-" || options.query == "-")
    throw Error(ErrorKind::usage, "a batch reads no cloud from standard input; give files");
  if (!entry.output.empty()) options.output = entry.output;
  if (options.output == "-" || options.output == "/dev/stdout")
    throw Error(ErrorKind::usage, "a batch writes no result to standard output; give files");
  choose_output(options, entry.number);
  options.makes_folder |= !entry.output.empty();
  options.is_batch_job = true;
  return options;
}

Options checked_options_of(const JobEntry& entry, const Options& batch) {
  if (!entry.fault.empty()) throw Error(ErrorKind::bad_input, entry.where + ": " + entry.fault);
  std::error_code ignored;
  if (entry.is_one_file && entry.data.find_first_of(" ;,") != entry.data.npos &&
      !std::filesystem::exists(entry.data, ignored))
    throw Error(ErrorKind::bad_input, entry.data + ": no such file; the fields of a job are separated by tabs");
  return options_of(entry, batch);
}

}  // namespace kann::cli
