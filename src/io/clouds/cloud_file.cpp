// CloudFile of kann/cloud_file.hpp: the formats, and what all of them check.
#include "kann/cloud_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <thread>
#include <utility>

#include "kann/error.hpp"

#include "io/clouds/cloud_writers.hpp"
#include "io/files/output_file.hpp"
#include "io/files/refusal.hpp"

namespace kann {
namespace io {
namespace {

constexpr std::array<std::pair<std::string_view, CloudFormat>, 3> k_formats = {{
    {"ply", CloudFormat::ply},
    {"las", CloudFormat::las},
    {"cloud-csv", CloudFormat::csv},
}};

void check_rows(const PointsView& points, std::span<const Attribute> attributes, const LasRecords* las,
                const std::string& name) {
  const std::int64_t count = points.size();
  for (const Attribute& attribute : attributes)
    if (attribute.size() != count)
      refuse(name,
             fmt::format("attribute {} has {} values for {} points", quoted(attribute.name), attribute.size(), count));
  if (las && WideSize{static_cast<std::uint64_t>(count)} * las->record_bytes != las->records.size())
    refuse(name, fmt::format("{} bytes of LAS records of {} bytes each are not those of {} points", las->records.size(),
                             las->record_bytes, count));
}

}  // namespace
}  // namespace io

using namespace io;

std::optional<CloudFormat> cloud_format(std::string_view name) {
  const auto is_name = [&](const auto& format) {
    return std::ranges::equal(name, format.first,
                              [](unsigned char x, unsigned char y) { return std::tolower(x) == y; });
  };
  const auto* const found = std::ranges::find_if(k_formats, is_name);
  return found == k_formats.end() ? std::nullopt : std::optional(found->second);
}

struct CloudFile::State {
  CloudFormat format;
  std::unique_ptr<OutputFile> file;
  std::function<void(std::uint64_t, std::uint64_t)> on_progress = {};
  bool has_begun = false;
  bool is_complete = false;

  std::vector<std::string> write(const PointsView& points, std::span<const Attribute> attributes, const LasRecords* las,
                                 int threads) {
    switch (format) {
      case CloudFormat::ply:
        return write_ply(points, attributes, *file, threads);
      case CloudFormat::las:
        return las ? write_las_records(*las, attributes, *file, threads)
                   : write_new_las(points, attributes, *file, threads);
      case CloudFormat::csv:
        return write_cloud_csv(points, attributes, *file, threads);
    }
    return {};
  }
};

CloudFile::CloudFile(const std::string& path, CloudFormat format, bool replace)
    : state_(std::make_unique<State>(State{format, open_output(path, replace)})) {}
CloudFile::~CloudFile() = default;
CloudFile::CloudFile(CloudFile&&) noexcept = default;
CloudFile& CloudFile::operator=(CloudFile&&) noexcept = default;

std::vector<std::string> CloudFile::write(const PointsView& points, std::span<const Attribute> attributes,
                                          const LasRecords* las, int threads) {
  OutputFile& file = *state_->file;
  if (std::exchange(state_->has_begun, true))
    throw Error(ErrorKind::internal, file.name() + ": a cloud file is written to once");
  check_rows(points, attributes, state_->format == CloudFormat::las ? las : nullptr, file.name());
  if (state_->on_progress)
    file.report_progress([this, &file, owner = std::this_thread::get_id()] {
      if (std::this_thread::get_id() == owner) state_->on_progress(file.written(), file.expected());
    });
  std::vector<std::string> warnings = state_->write(points, attributes, las, threads);
  file.report_progress(nullptr);
  state_->is_complete = true;
  return warnings;
}

void CloudFile::report_progress(std::function<void(std::uint64_t, std::uint64_t)> on_progress) {
  state_->on_progress = std::move(on_progress);
}

void CloudFile::commit() {
  if (!state_->is_complete)
    throw Error(ErrorKind::internal, state_->file->name() + ": committed before it was written");
  state_->file->finish();
  state_->file->publish();
}

}  // namespace kann
