// Odometry against the last 40 frames of a spinning LiDAR, without a dynamic tree: map_of_frames [DEVICE] [FRAMES]
//
// Each frame is searched in the frames before it, and then takes the place of the oldest. Nothing is kept from frame to
// frame but the points: each search orders the map anew. DEVICE is auto, cpu or cuda; FRAMES are made beyond the first
// 40. The frames are made: 64 rings of 1,900 returns from a street 24 m wide, a metre further each time.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <kann/search.hpp>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int k_rings = 64, k_returns = 1900, k_map_frames = 40;
constexpr std::size_t k_frame_coordinates = std::size_t{3} * k_rings * k_returns;
constexpr double k_pi = 3.14159265358979323846;

/// The returns of frame `number`, whose sensor is 1.8 m above the street: from the street, from walls 12 m to both
/// sides and from some parked cars; with a noise of 2 cm.
void make_frame(int number, std::mt19937& random, float* points) {
  std::normal_distribution<double> noise(0, .02);
  for (int ring = 0; ring < k_rings; ++ring)
    for (int step = 0; step < k_returns; ++step) {
      const double up = (2 - 26.8 * ring / (k_rings - 1)) * k_pi / 180, around = 2 * k_pi * step / k_returns;
      const double x = std::cos(up) * std::cos(around), y = std::cos(up) * std::sin(around), z = std::sin(up);
      double range = 120;
      if (z < 0) range = std::min(range, -1.8 / z);
      const double far = number + range * x;
      const bool meets_car = std::fmod(std::abs(far), 15) < 4.5;
      if (y != 0) range = std::min(range, (meets_car && std::abs(z) < .15 ? 9 : 12) / std::abs(y));
      range += noise(random);
      const double at[] = {number + range * x, range * y, 1.8 + range * z};
      for (const double coordinate : at) *points++ = static_cast<float>(coordinate);
    }
}

}  // namespace

int main(int count, char** arguments) try {
  const std::string device = count > 1 ? arguments[1] : "auto";
  const int frames = count > 2 ? std::atoi(arguments[2]) : 50;
  if (count > 3 || frames < 1 || (device != "auto" && device != "cpu" && device != "cuda")) {
    std::fprintf(stderr, "usage: map_of_frames [auto|cpu|cuda] [FRAMES]\n");
    return 2;
  }
  kann::SearchOptions options;
  options.k = 5;
  options.device.kind = device == "cpu"    ? kann::DeviceKind::cpu
                        : device == "cuda" ? kann::DeviceKind::cuda
                                           : kann::DeviceKind::automatic;
  std::mt19937 random(1);
  std::vector<float> map(k_map_frames * k_frame_coordinates), frame(k_frame_coordinates);
  for (int i = 0; i < k_map_frames; ++i) make_frame(i, random, map.data() + i * k_frame_coordinates);

  std::vector<double> milliseconds;
  double sum = 0;
  kann::SearchResult result;
  for (int i = 0; i < frames; ++i) {
    make_frame(k_map_frames + i, random, frame.data());
    const auto begin = std::chrono::steady_clock::now();
    result = kann::search({3, std::span<const float>(map)}, {3, std::span<const float>(frame)}, options);
    milliseconds.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    for (std::size_t row = 0; row < result.neighbors.distances.size(); row += 5) sum += result.neighbors.distances[row];
    std::ranges::copy(frame, map.begin() + i % k_map_frames * static_cast<std::ptrdiff_t>(k_frame_coordinates));
  }
  std::ranges::sort(milliseconds);
  std::printf(
      "%s: %d frames of %d points in a map of %zu, k = 5: %.1f ms (best %.1f, worst %.1f), mean distance %.3f m\n",
      result.report.device.name.c_str(), frames, k_rings * k_returns, map.size() / 3,
      milliseconds[milliseconds.size() / 2], milliseconds.front(), milliseconds.back(),
      sum / (frames * double{k_rings * k_returns}));
} catch (const std::exception& error) {
  std::fprintf(stderr, "map_of_frames: %s\n", error.what());
  return 1;
}
