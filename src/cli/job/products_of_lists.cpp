// Products::write_lists(): what is written of rows of any length.
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

#include "kann/error.hpp"

#include "base/host_memory.hpp"
#include "base/scoped_timer.hpp"
#include "cli/job/pair_facts.hpp"
#include "cli/job/products.hpp"

namespace kann::cli {
namespace {

/// Refuses a result that is larger than what is free where it goes. A file system that does not say passes, as does
/// what is no file.
void check_disk_for_lists(const Options& options, const detail::ListSearch& lists) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (options.output == "-" || (fs::exists(options.output, error) && !fs::is_regular_file(options.output, error)))
    return;
  const fs::path folder = fs::path(options.output).parent_path();
  const fs::space_info space = fs::space(folder.empty() ? "." : folder, error);
  // A line of text has no fewer bytes, either: the shortest is "0,0,0,0" with its end
  constexpr double bytes_per_neighbor = 8;
  const double bytes = bytes_per_neighbor * static_cast<double>(lists.neighbors());
  if (!error && bytes > static_cast<double>(space.available))
    throw Error(ErrorKind::resources,
                fmt::format("{}: {} neighbours within the radius need at least {}, {} are free; --count counts them",
                            options.output, lists.neighbors(), base::bytes_text(bytes),
                            base::bytes_text(static_cast<double>(space.available))));
}

}  // namespace

void Products::write_lists(const detail::ListSearch& lists) {
  Report& report = job_.report;
  if (job_.options.output_format == NeighborFormat::npz && files_.result) clouds_.identify();
  const base::ScopedTimer timer(report.write_seconds);
  report.sync_seconds = 0;
  if (asked_.pairs) report.pairs = pairs_of(lists.blocks());
  if (files_.table)
    return write_table([&](JoinedTable& table) {
      const TableSide queries(clouds_.query_cloud()), data(clouds_.data_cloud());
      lists.blocks().for_each([&](const ListBlock& block) { table.add(block, queries, data); });
    });
  if (!files_.result) return;
  check_disk_for_lists(job_.options, lists);
  if (!lists.is_whole())
    job_.messages.info(
        fmt::format("{} neighbours within {} do not fit in memory together; they are searched again "
                    "while they are written",
                    lists.neighbors(), *job_.options.search.radius));
  show_writing();
  files_.result->write(lists.blocks(), job_.io_threads, result_meta_json(job_.options, report));
}

}  // namespace kann::cli
