// What Products makes of clusters.
#include <algorithm>
#include <functional>

#include "base/scoped_timer.hpp"
#include "cli/job/products.hpp"
#include "cli/report/facts_of.hpp"
#include "formats/neighbors/neighbor_file.hpp"

namespace kann::cli {
namespace {

constexpr std::int64_t k_written_together = 1 << 20;

/// The labels as a column of the result.
ColumnBlocks column_of(const ClusterLabels& labels) {
  return {"cluster", labels.of(0, 0), [&labels](const std::function<void(const AttributeValues&)>& sink) {
            for (std::int64_t first = 0; first < labels.size(); first += k_written_together)
              sink(labels.of(first, std::min(k_written_together, labels.size() - first)));
          }};
}

}  // namespace

void Products::make_clusters(const flow::Answer& points, const ClusterLabels& labels) {
  blocks_ = found_ = &points;
  identify();
  columns_.emplace(job_.options, points, OutlierLimits(), job_.io_threads, clouds_.temporary_folder(), clouds_.memory(),
                   &labels);
  Report& report = job_.report;
  report.write_seconds = report.sync_seconds = 0;
  if (files_.result) {
    const base::ScopedTimer timer(report.write_seconds);
    show_writing();
    formats::write_labels(*files_.result, column_of(labels), labels.size(), result_meta_json(job_.options, report),
                          job_.io_threads);
  }
  write_cloud();
  draw();
}

}  // namespace kann::cli
