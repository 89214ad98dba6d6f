// Radial basis functions: transfer() on the CPU and on a device, and the device's kernel against cuBLAS on the same
// systems.
#include <cmath>
#include <cstring>
#include <fmt/format.h>

#include "kann/transfer.hpp"

#include "common/made_clouds.hpp"
#include "common/program.hpp"
#include "common/table.hpp"
#include "rbf/device_rbf.hpp"

namespace kann::bench {
namespace {

struct Settings {
  int log2 = 20;
  std::vector<std::string> clouds = {"uniform", "surface"}, neighbors = {"16", "8", "28", "40"};
};

/// The minimum speed of the kernel, as a multiple of cuBLAS's.
constexpr double k_min_times_cublas = 2;

class RbfBench {
 public:
  RbfBench(const Program& program, const Settings& settings, Report& report)
      : program_(program), settings_(settings), report_(report) {}

  void run() {
    const std::int64_t n = std::int64_t{1} << settings_.log2;
    for (const std::string& cloud : settings_.clouds) {
      const Points data = as_float64(make_cloud(cloud, n, program_.seed));
      const Points queries = as_float64(make_cloud(cloud, n, program_.seed, Role::queries));
      const Table table(
          report_.text(),
          fmt::format("{}, 2^{} × 2^{}, thin plate spline, degree 1: ms", cloud, settings_.log2, settings_.log2), 4,
          {"k", "rows", "CPU", "device", "kernel", "cuBLAS", "× cuBLAS"});
      for (const std::string& k : settings_.neighbors)
        if (program_.wants(fmt::format("{}/k{}", cloud, k))) one_k(table, cloud, data, queries, std::stoi(k));
    }
  }

 private:
  static Points as_float64(const Points& points) {
    Array<double> c(static_cast<std::size_t>(points.size() * points.dimensions));
    for (std::int64_t i = 0; i < points.size(); ++i)
      for (int a = 0; a < points.dimensions; ++a) c[i * points.dimensions + a] = points.at(i, a);
    return {points.dimensions, std::move(c)};
  }

  void one_k(const Table& table, const std::string& cloud, const Points& data, const Points& queries, int k) {
    SearchOptions search_options;
    search_options.k = k;
    search_options.method = Method::exact;
    search_options.threads = program_.threads;
    search_options.device = program_.choice();
    const Neighbors neighbors = search(data, queries, search_options).neighbors;
    Attribute attribute{"height", Array<double>(static_cast<std::size_t>(data.size()))};
    auto& values = std::get<Array<double>>(attribute.values);
    for (std::int64_t i = 0; i < data.size(); ++i)
      values[i] = 10 + std::sin(5 * data.at(i, 0)) * std::cos(5 * data.at(i, 1)) + data.at(i, 2);

    TransferOptions options;
    options.method = TransferMethod::rbf;
    options.threads = program_.threads;
    TransferResult on_cpu, on_device;
    const auto run = [&](TransferResult& into) {
      return timed([&] { into = transfer(data, queries, neighbors, std::span(&attribute, 1), options); });
    };
    options.device.kind = DeviceKind::cpu;
    const Spread cpu = measure(program_.repeat, [&] { return run(on_cpu); });
    const int rows = k + 4;
    Json record = {
        {"cloud", cloud},         {"log2", settings_.log2},     {"k", k}, {"rows", rows}, {"threads", program_.threads},
        {"cpu_ms", ms_json(cpu)}, {"singular", on_cpu.singular}};
    std::vector<std::string> cells = {std::to_string(k), std::to_string(rows), ms_text(cpu.best), "", "", "", ""};
    if (program_.on_cuda()) {
      options.device = program_.choice();
      const Spread device = measure(program_.repeat, [&] { return run(on_device); });
      report_.check(fmt::format("{}, k = {}: the bytes of the CPU", cloud, k), same_bytes(on_cpu, on_device));
      cells[3] = ms_text(device.best);
      record["device_ms"] = ms_json(device);
      compare_with_cublas(cloud, data, queries, neighbors, values, options.rbf, record, cells);
    }
    table.row(cells);
    report_.add(record);
  }

  void compare_with_cublas(const std::string& cloud, const Points& data, const Points& queries,
                           const Neighbors& neighbors, const Array<double>& values, const RbfOptions& options,
                           Json& record, std::vector<std::string>& cells) {
    const interpolation::RbfInput input{.dimensions = data.dimensions,
                                        .data = std::get<Array<double>>(data.coordinates),
                                        .queries = std::get<Array<double>>(queries.coordinates),
                                        .ids = neighbors.ids,
                                        .k = neighbors.k,
                                        .columns = {values},
                                        .options = options,
                                        .threads = program_.threads};
    const DeviceTimes times = measure_on_device(input, program_.repeat);
    record["kernel_ms"] = ms_json(times.kann);
    cells[4] = ms_text(times.kann.best);
    const std::string name = fmt::format("{}, k = {}", cloud, neighbors.k);
    if (times.cublas.runs == 0) return report_.skip(name + ": cuBLAS", times.no_cublas);
    record["cublas_ms"] = ms_json(times.cublas);
    record["times_cublas"] = times.cublas.best / times.kann.best;
    record["largest_difference"] = times.largest_difference;
    cells[5] = ms_text(times.cublas.best);
    cells[6] = number_text(times.cublas.best / times.kann.best, 2);
    report_.check(name + ": the values of cuBLAS within 1e-9", times.largest_difference < 1e-9,
                  fmt::format("{:.1e}", times.largest_difference));
    report_.target(name + ": times the speed of cuBLAS", times.cublas.best / times.kann.best, Report::Wanted::at_least,
                   k_min_times_cublas);
  }

  static bool same_bytes(const TransferResult& a, const TransferResult& b) {
    const auto& x = std::get<Array<double>>(a.attributes[0].values);
    const auto& y = std::get<Array<double>>(b.attributes[0].values);
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
  }

  const Program& program_;
  const Settings& settings_;
  Report& report_;
};

}  // namespace
}  // namespace kann::bench

int main(int argc, char** argv) {
  using namespace kann::bench;
  Program program("bench_rbf",
                  "transfer() by radial basis functions on the CPU and a device, and cuBLAS on its systems");
  Settings settings;
  program.option("--log2", settings.log2, "number of points and of queries: 2 to this power");
  program.option("--cloud", settings.clouds, "kind of cloud; may be repeated (default: uniform, surface)");
  program.option("--k", settings.neighbors, "neighbours; may be repeated (default: 16, 8, 28, 40)");
  return program.run(argc, argv, [&](Report& report) { RbfBench(program, settings, report).run(); });
}
