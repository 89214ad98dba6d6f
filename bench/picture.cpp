// Draws a cloud, by height or by the mean distance to its neighbours, and prints how long that took: for looking at
// pictures, and for the time of large ones.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>

#include "kann/error.hpp"
#include "kann/io.hpp"
#include "kann/render.hpp"
#include "kann/search.hpp"

#include "common/made_clouds.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<float> heights(const kann::Points& points) {
  std::vector<float> values(static_cast<std::size_t>(points.size()));
  for (std::int64_t i = 0; i < points.size(); ++i) values[i] = static_cast<float>(points.at(i, points.dimensions - 1));
  return values;
}

std::vector<float> spacings(const kann::Points& points) {
  kann::SearchOptions options;
  options.invalid = kann::InvalidPoints::skip;
  const kann::Neighbors n = kann::search_self(points, options).neighbors;
  std::vector<float> values(static_cast<std::size_t>(n.queries));
  for (std::int64_t i = 0; i < n.queries; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < n.k; ++j) sum += n.distances[i * n.k + j];
    values[i] = static_cast<float>(sum / static_cast<double>(n.k));
  }
  return values;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Draw a cloud as PNG");
  std::string input, output, by = "spacing", view = "automatic", device = "cpu";
  kann::RenderOptions options;
  int repeats = 1;
  std::vector<double> direction;
  app.add_option("cloud", input, "FILE, or KIND:POINTS of a made cloud")->required();
  app.add_option("output", output, "FILE.png")->required();
  app.add_option("--by", by, "spacing or height");
  app.add_option("--view", view, "automatic, top, front or iso");
  app.add_option("--direction", direction, "x y z from the cloud to the eye")->expected(3);
  app.add_option("--width", options.width, "pixels");
  app.add_option("--height", options.height, "pixels");
  app.add_option("--threads", options.threads, "CPU threads");
  app.add_option("--label", options.label, "of the legend");
  app.add_option("--device", device, "cpu or cuda");
  app.add_option("--repeats", repeats, "of the measurement");
  CLI11_PARSE(app, argc, argv);
  try {
    using Kind = kann::View::Kind;
    options.view.kind = view == "top"     ? Kind::top
                        : view == "front" ? Kind::front
                        : view == "iso"   ? Kind::iso
                                          : Kind::automatic;
    if (!direction.empty()) options.view = {Kind::direction, {direction[0], direction[1], direction[2]}};
    if (device == "cuda") options.device = {kann::DeviceKind::cuda, 0};
    const std::size_t colon = input.find(':');
    const kann::Points points =
        colon == std::string::npos
            ? kann::read_points(input).points
            : kann::bench::make_cloud(input.substr(0, colon), std::stoll(input.substr(colon + 1)), 1,
                                      kann::bench::Role::data);
    const std::vector<float> values = by == "height" ? heights(points) : spacings(points);
    kann::RenderResult result;
    double seconds = std::numeric_limits<double>::infinity();
    for (int i = 0; i < repeats; ++i) {
      const auto start = Clock::now();
      result = kann::render(points, values, options);
      seconds = std::min(seconds, seconds_since(start));
    }
    const auto start = Clock::now();
    const std::string bytes = kann::png_bytes(result.image);
    std::printf("%lld drawn, %lld outside, %lld left out: render %.3f s, png %.3f s, %zu bytes\n",
                static_cast<long long>(result.drawn), static_cast<long long>(result.outside),
                static_cast<long long>(result.left_out), seconds, seconds_since(start), bytes.size());
    std::ofstream(output, std::ios::binary) << bytes;
  } catch (const kann::Error& e) {
    std::fprintf(stderr, "bench_picture: %s\n", e.what());
    return e.exit_code();
  }
}
