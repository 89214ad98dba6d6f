// One search by 1, 2, … CUDA devices of a host: time from host memory to host memory, and efficiency. Where there is
// one device, it is taken twice as well, which tests the division and gains nothing.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kann/error.hpp"

#include "base/seconds_since.hpp"
#include "base/threads/copy_threads.hpp"
#include "base/threads/parallel.hpp"
#include "common/made_clouds.hpp"
#include "common/program.hpp"
#include "common/spread.hpp"
#include "common/table.hpp"

namespace kann::bench {
namespace {

constexpr double k_efficiency = 0.9;  // to reach, on two devices

struct Settings {
  int points = 100'000'000;
  bool self = false;
};

/// A number that changes with any value and its place. The results are too large to keep two of them.
std::uint64_t hash_of(const Neighbors& rows, int threads) {
  std::atomic<std::uint64_t> sum{0};
  constexpr std::int64_t grain = 1 << 20;
  const auto values = static_cast<std::int64_t>(rows.ids.size());
  base::parallel_chunks(values, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    std::uint64_t part = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      std::uint32_t distance;
      std::memcpy(&distance, &rows.distances[static_cast<std::size_t>(i)], sizeof distance);
      const auto id = static_cast<std::uint32_t>(rows.ids[static_cast<std::size_t>(i)]);
      std::uint64_t x = (std::uint64_t{id} << 32 | distance) + static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;
      x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;  // the finaliser of splitmix64
      part += x ^ x >> 27;
    }
    sum += part;
  });
  return sum;
}

/// What the memory of the host takes for a search, whatever the devices do: the best time to read the clouds into
/// buffers of the size of those that devices read, to make the pages of a result of `values` ids and distances, and to
/// copy it there, in turn, by all threads.
double host_seconds(const Program& program, std::span<const Points* const> clouds, std::int64_t values) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  const auto threads = static_cast<std::size_t>(program.threads);
  std::vector<std::byte> buffers(threads * piece);  // one for each thread
  const auto buffer = [&](std::size_t number) { return buffers.data() + number % threads * piece; };
  const Spread seconds = measure(program.repeat, [&] {
    Neighbors result{1, values, {}, {}};
    result.ids.resize(static_cast<std::size_t>(values));
    result.distances.resize(static_cast<std::size_t>(values));
    const auto start = std::chrono::steady_clock::now();
    for (const Points* const cloud : clouds) {
      const auto from = std::as_bytes(std::span(std::get<Array<float>>(cloud->coordinates)));
      base::on_workers(threads, [&](std::size_t worker) {
        for (std::size_t begin = worker * piece; begin < from.size(); begin += threads * piece)
          std::memcpy(buffer(worker), from.data() + begin, std::min(piece, from.size() - begin));
      });
    }
    const std::span<std::byte> parts[] = {std::as_writable_bytes(std::span(result.ids)),
                                          std::as_writable_bytes(std::span(result.distances))};
    for (const std::span<std::byte> to : parts) {
      base::touch_pages(to, program.threads);
      base::on_threads(to.size(), piece, threads, [&](std::size_t begin, std::size_t count) {
        std::memcpy(to.data() + begin, buffer(begin / piece), count);
      });
    }
    return base::seconds_since(start);
  });
  return seconds.best;
}

/// The devices of a measurement, and whether more of them could make it faster.
struct Division {
  std::string name;
  DeviceChoice choice;
  int devices;
  bool scales = true;
};

std::vector<Division> divisions(const Program& program) {
  if (!program.on_cuda()) return {{"cpu", program.choice(), 1}};
  std::vector<Division> all = {{"cuda:0", {DeviceKind::cuda}, 1}};
  std::vector<int> others;
  for (int next = 1; cuda_status(next).usable; ++next) {
    others.push_back(next);
    all.push_back({fmt::format("{} devices", next + 1), {DeviceKind::cuda, 0, others}, next + 1});
  }
  if (others.empty()) all.push_back({"cuda:0 twice", {DeviceKind::cuda, 0, {0}}, 2, false});
  return all;
}

/// The best of some searches.
struct Timed {
  Spread seconds;
  SearchReport report;
  std::uint64_t hash = 0;
};

Timed measure_search(const Program& program, const Points& data, const Points* queries, const SearchOptions& options) {
  Timed timed;
  timed.report.total_seconds = std::numeric_limits<double>::infinity();
  timed.seconds = measure(program.repeat, [&] {
    const SearchResult result = queries ? search(data, *queries, options) : search_self(data, options);
    timed.hash = hash_of(result.neighbors, program.threads);
    if (result.report.total_seconds < timed.report.total_seconds) timed.report = result.report;
    return result.report.total_seconds;
  });
  return timed;
}

void run(const Program& program, const Settings& settings, Report& report) {
  if (settings.points < 1) throw Error(ErrorKind::usage, "--points expects at least 1");
  const Points data = make_cloud("uniform", settings.points, program.seed);
  const Points queries = settings.self ? Points() : make_cloud("uniform", settings.points, program.seed, Role::queries);
  std::vector<const Points*> clouds = {&data};
  if (!settings.self) clouds.push_back(&queries);
  const Table table(report.text(), "Scaling over devices, uniform: s from host memory to host memory", 44,
                    {"case", "best", "median", "worst", "upload", "search", "download", "efficiency", "memory"});
  for (const Method method : {Method::exact, Method::shifted_sort})
    for (const int k : {1, 8}) {
      double one = 0;
      std::uint64_t hash = 0;
      const double host = host_seconds(program, clouds, std::int64_t{settings.points} * k);
      for (const Division& division : divisions(program)) {
        const std::string name = fmt::format("scaling/{}{}/k{}/{}/{}", settings.points, settings.self ? "/self" : "", k,
                                             method == Method::exact ? "exact" : "shifted-sort", division.name);
        if (!program.wants(name)) continue;
        SearchOptions options;
        options.device = division.choice;
        options.method = method;
        options.k = k;
        options.threads = program.threads;
        const Timed timed = measure_search(program, data, settings.self ? nullptr : &queries, options);
        const StepSeconds& s = timed.report.steps;
        if (division.devices == 1) one = timed.seconds.best, hash = timed.hash;
        Json record = {{"case", name},
                       {"devices", division.devices},
                       {"device", timed.report.device.name},
                       {"points", settings.points},
                       {"self", settings.self},
                       {"k", k},
                       {"method", method == Method::exact ? "exact" : "shifted-sort"},
                       {"ms", ms_json(timed.seconds)},
                       {"steps_ms", steps_json(s)},
                       {"host_memory_ms", 1000 * host},
                       {"device_peak_bytes", timed.report.device_peak_bytes},
                       {"scales", division.scales}};
        std::string efficiency_text;
        if (one > 0) {
          const double efficiency = one / (division.devices * timed.seconds.best);
          efficiency_text = number_text(efficiency, 3) + (division.scales ? "" : " (one device)");
          record["speedup"] = one / timed.seconds.best;
          record["efficiency"] = efficiency;
          if (division.devices == 2 && division.scales)
            report.target(name + ": efficiency, or the share of the host's memory",
                          std::max(efficiency, host / timed.seconds.best), Report::Wanted::at_least, k_efficiency);
          report.check(name + ": the bytes of one device", timed.hash == hash);
        }
        report.add(record);
        table.row({name, number_text(timed.seconds.best, 3), number_text(timed.seconds.median, 3),
                   number_text(timed.seconds.worst, 3), number_text(s.upload, 3),
                   number_text(s.encode + s.sort + s.rank + s.boxes + s.select + s.rows, 3), number_text(s.download, 3),
                   efficiency_text, number_text(host / timed.seconds.best, 3)});
      }
    }
}

}  // namespace
}  // namespace kann::bench

int main(int argc, char** argv) {
  using namespace kann::bench;
  Program program("bench_scaling", "Time and efficiency of one search by several CUDA devices.");
  Settings settings;
  program.option("--points", settings.points, "data points, and as many queries");
  program.option("--self", settings.self, "the data are the queries");
  program.repeat = 3;
  return program.run(argc, argv, [&](Report& report) { run(program, settings, report); });
}
