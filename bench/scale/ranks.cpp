// What ranks send each other, by exact searches of ranks that are threads of this process: of real clouds, and of parts
// of them, for docs/performance.md.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "kann/error.hpp"
#include "kann/io.hpp"

#include "common/made_clouds.hpp"
#include "common/report.hpp"
#include "flow/in_tiles.hpp"
#include "flow/ranks/threads.hpp"

namespace {

using kann::bench::Json;

/// A cloud in memory, of which every `stride`-th point is taken.
class ThinnedSource : public kann::flow::PointSource {
 public:
  ThinnedSource(const kann::Points& points, std::int64_t stride) {
    for (std::int64_t i = 0; i < points.size(); i += stride)
      for (int a = 0; a < points.dimensions; ++a) coordinates_.push_back(points.at(i, a));
    dimensions_ = points.dimensions;
  }

  const std::string& name() const override { return name_; }
  int dimensions() const override { return dimensions_; }
  bool is_float64() const override { return true; }
  std::int64_t size() const override { return static_cast<std::int64_t>(coordinates_.size()) / dimensions_; }
  void for_each_block(std::int64_t begin, std::int64_t end, std::int64_t most, const Block& f) const override {
    const auto d = static_cast<std::size_t>(dimensions_);
    for (std::int64_t row = begin; row < end; row += most) {
      const auto n = static_cast<std::size_t>(std::min(most, end - row));
      f(row, {dimensions_, std::span(coordinates_).subspan(static_cast<std::size_t>(row) * d, n * d)});
    }
  }

 private:
  std::string name_ = "cloud";
  int dimensions_;
  std::vector<double> coordinates_;
};

Json simulate(const ThinnedSource& cloud, int count, std::int64_t k) {
  kann::flow::FileSearchOptions options;
  options.search.k = k;
  options.search.threads = 1;
  options.search.device.kind = kann::DeviceKind::cpu;
  options.search.invalid = kann::InvalidPoints::skip;
  options.sizes = {.tile_points = cloud.size(),
                   .piece_queries = cloud.size(),
                   .block_rows = 4096,
                   .read_points = 65536,
                   .chunk_bytes = 65536};
  options.folder = std::filesystem::temp_directory_path();
  kann::flow::FileSearchReport report;
  kann::flow::run_on_threads(count, [&](kann::flow::Communicator& ranks) {
    const kann::flow::FileSearchResult answer = kann::flow::in_tiles({cloud, nullptr, options, ranks}, ranks);
    if (ranks.rank() == 0) report = answer.report;
  });
  const auto n = static_cast<double>(cloud.size());
  return {{"points", cloud.size()},
          {"ranks", count},
          {"k", k},
          {"points_a_rank", n / count},
          {"visits_a_query", static_cast<double>(report.visits) / n},
          {"sent_a_point", static_cast<double>(report.sent_bytes) / n},
          {"rounds", report.rounds},
          {"largest_share", static_cast<double>(report.most_points) * count / n}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Count what ranks send each other");
  std::vector<std::string> clouds;
  std::vector<int> counts = {64};
  std::vector<std::int64_t> strides = {1};
  std::int64_t k = 8;
  app.add_option("cloud", clouds, "FILE, or KIND:POINTS of a made cloud")->required();
  app.add_option("--ranks", counts);
  app.add_option("--stride", strides, "every so many points are taken");
  app.add_option("-k", k);
  CLI11_PARSE(app, argc, argv);
  try {
    for (const std::string& name : clouds) {
      const std::size_t colon = name.find(':');
      const kann::Points points =
          colon == std::string::npos
              ? kann::read_points(name).points
              : kann::bench::make_cloud(name.substr(0, colon), std::stoll(name.substr(colon + 1)), 1,
                                        kann::bench::Role::data);
      for (const std::int64_t stride : strides) {
        const ThinnedSource cloud(points, stride);
        for (const int count : counts) {
          Json line = {{"cloud", std::filesystem::path(name).filename().string()}};
          line.update(simulate(cloud, count, k));
          std::printf("%s\n", line.dump().c_str());
          std::fflush(stdout);
        }
      }
    }
  } catch (const kann::Error& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return e.exit_code();
  }
}
