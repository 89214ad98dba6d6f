// What Products makes of rows of any length.
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <system_error>

#include "kann/error.hpp"

#include "base/host_memory.hpp"
#include "base/scoped_timer.hpp"
#include "cli/job/pair_facts.hpp"
#include "cli/job/products.hpp"
#include "cli/report/facts_of.hpp"
#include "formats/files/free_space.hpp"

namespace kann::cli {
namespace {

/// The least bytes of a result with so many neighbours in rows of any length; 0 if it is no file. A line of text has no
/// fewer bytes, either: the shortest is "0,0,0,0" with its end.
double list_bytes(const Options& options, std::int64_t neighbors) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool is_file = options.writes_result() && options.output != "-" &&
                       (!fs::exists(options.output, error) || fs::is_regular_file(options.output, error));
  constexpr double bytes_per_neighbor = 8;
  return is_file ? bytes_per_neighbor * static_cast<double>(neighbors) : 0;
}

/// Refuses a result that is larger than what is free where it goes. A file system that does not say passes.
void check_disk_for_lists(const Options& options, std::int64_t neighbors) {
  const double bytes = list_bytes(options, neighbors);
  const std::optional<double> left =
      bytes > 0 ? formats::free_bytes(std::filesystem::path(options.output).parent_path()) : std::nullopt;
  if (left && bytes > *left)
    throw Error(
        ErrorKind::resources,
        fmt::format(
            "{}: {} neighbours within the radius need at least {}, {} are free; --stats without --output counts them",
            options.output, neighbors, base::bytes_text(bytes), base::bytes_text(*left)));
}

}  // namespace

void Products::check_disk(const flow::CountedLists& counted, const std::string& folder) const {
  const Options& options = job_.options;
  double bytes = counted.temporary_bytes;
  if (counted.is_exact && !options.counts_only()) {
    check_disk_for_lists(options, counted.neighbors);
    if (formats::are_on_one_disk(folder, std::filesystem::path(options.output).parent_path()))
      bytes += list_bytes(options, counted.neighbors);
  }
  formats::check_temporary_folder(folder, bytes);
}

void Products::make(const ListBlocks& lists, const flow::AnswerBlocks* answer) {
  Report& report = job_.report;
  blocks_ = answer;
  report.write_seconds = report.sync_seconds = 0;
  if (!answer) return;
  if (asked_.pairs) report.pairs = pairs_of(lists);
  compute_columns();
  write_lists(lists);
  write_cloud();
  draw();
}

void Products::write_lists(const ListBlocks& lists) {
  Report& report = job_.report;
  const base::ScopedTimer timer(report.write_seconds);
  if (files_.table)
    return write_table([&](JoinedTable& table) {
      const TableSide queries(clouds_.query_cloud()), data(clouds_.data_cloud());
      lists.for_each([&](const Rows& block) { table.add(block, queries, data); });
    });
  if (!files_.result) return;
  check_disk_for_lists(job_.options, lists.neighbors);
  show_writing();
  const std::string meta = result_meta_json(job_.options, report);
  files_.result->write(lists, job_.io_threads, extras(meta));
}

}  // namespace kann::cli
