// A program for scipy_rbf_test.py: interpolates arrays of float64 in files without a header.
//
//   transfer_arrays DIMENSIONS DATA QUERIES VALUES OUT K KERNEL DEGREE SMOOTHING EPSILON DEVICE THREADS
//
// VALUES has one or more values per data point, attribute by attribute; OUT gets those of the queries likewise. Prints
// one line: seconds of the search, of the transfer, and the number of singular queries.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include "kann/error.hpp"
#include "kann/search.hpp"
#include "kann/transfer.hpp"

namespace {

kann::Array<double> read_array(const char* path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw kann::Error(kann::ErrorKind::bad_input, std::string(path) + ": cannot be read");
  kann::Array<double> values(static_cast<std::size_t>(file.tellg()) / sizeof(double));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(double)));
  return values;
}

kann::RbfKernel kernel_of(const std::string& name) {
  if (name == "thin_plate_spline") return kann::RbfKernel::thin_plate_spline;
  if (name == "cubic") return kann::RbfKernel::cubic;
  if (name == "linear") return kann::RbfKernel::linear;
  if (name == "gaussian") return kann::RbfKernel::gaussian;
  throw kann::Error(kann::ErrorKind::usage, "no such kernel: " + name);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run(char** arguments) {
  const int dimensions = std::stoi(arguments[1]);
  const kann::Points data{dimensions, read_array(arguments[2])}, queries{dimensions, read_array(arguments[3])};
  const kann::Array<double> values = read_array(arguments[4]);
  const std::int64_t n = data.size();
  std::vector<kann::Attribute> attributes;
  for (auto from = values.begin(); from != values.end(); from += n)
    attributes.push_back({"v", kann::Array<double>(from, from + n)});

  kann::SearchOptions search;
  search.k = std::stoi(arguments[6]);
  search.device.kind = kann::DeviceKind::cpu;
  search.threads = std::stoi(arguments[12]);
  kann::TransferOptions options;
  options.method = kann::TransferMethod::rbf;
  options.rbf = {kernel_of(arguments[7]), std::stoi(arguments[8]), std::stod(arguments[9]), std::stod(arguments[10])};
  options.device.kind = std::string(arguments[11]) == "cuda" ? kann::DeviceKind::cuda : kann::DeviceKind::cpu;
  options.threads = search.threads;

  auto start = std::chrono::steady_clock::now();
  const kann::Neighbors neighbors = kann::search(data, queries, search).neighbors;
  const double search_seconds = seconds_since(start);
  start = std::chrono::steady_clock::now();
  const kann::TransferResult result = kann::transfer(data, queries, neighbors, attributes, options);
  std::printf("%.6f %.6f %lld\n", search_seconds, seconds_since(start), static_cast<long long>(result.singular));
  std::ofstream out(arguments[5], std::ios::binary);
  for (const kann::Attribute& attribute : result.attributes) {
    const auto& at_queries = std::get<kann::Array<double>>(attribute.values);
    out.write(reinterpret_cast<const char*>(at_queries.data()),
              static_cast<std::streamsize>(at_queries.size() * sizeof(double)));
  }
  if (!out.flush()) throw kann::Error(kann::ErrorKind::resources, std::string(arguments[5]) + ": cannot be written");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 13) {
    std::fprintf(stderr, "12 arguments expected, as the first lines of the source say\n");
    return 2;
  }
  try {
    run(arguments);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
