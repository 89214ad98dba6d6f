// Reads inputs, or writes an output, without a search, to measure these parts of the whole program: with the reader and
// the writer of kann, or with plain read(). Prints the seconds on stdout, without the start of the process.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "kann/array.hpp"
#include "kann/error.hpp"
#include "kann/io.hpp"

#include "base/parallel.hpp"
#include "spread.hpp"

namespace kann::bench {
namespace {

void read_plainly(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) throw Error(ErrorKind::bad_input, path + ": cannot be read");
  Array<char> bytes(static_cast<std::size_t>(status.st_size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = read(file, bytes.data() + done, bytes.size() - done);
    if (got <= 0) throw Error(ErrorKind::bad_input, path + ": cannot be read");
    done += static_cast<std::size_t>(got);
  }
  close(file);
}

/// Seconds to write a result of `queries` rows of `k` neighbours, which is made before the clock starts.
double write_alone(const std::string& path, std::int64_t queries, std::int64_t k) {
  Neighbors neighbors{queries, k, {}, {}};
  neighbors.ids.resize(static_cast<std::size_t>(queries * k));
  neighbors.distances.resize(static_cast<std::size_t>(queries * k));
  base::parallel_for(queries * k, base::thread_count(0), [&](std::int64_t i) {
    neighbors.ids[i] = static_cast<std::int32_t>(i / k);
    neighbors.distances[i] = static_cast<float>(i % k);
  });
  return timed([&] {
    NeighborFile file(path, NeighborFormat::npz, true);
    file.write(neighbors, "{}");
    file.commit();
  });
}

}  // namespace
}  // namespace kann::bench

int main(int argc, char** argv) {
  using namespace kann;
  CLI::App app("Read point clouds, or write a result, and print the seconds");
  std::vector<std::string> files;
  std::string output;
  std::int64_t queries = 0, k = 8;
  bool plain = false;
  app.add_option("--read", files, "clouds to read, one after the other");
  app.add_flag("--plain", plain, "by read() into memory, without parsing");
  app.add_option("--write", output, "the .npz to write");
  app.add_option("--queries", queries, "rows to write");
  app.add_option("--k", k, "neighbours per row");
  CLI11_PARSE(app, argc, argv);
  try {
    const double reading = bench::timed([&] {
      for (const std::string& file : files) {
        if (plain)
          bench::read_plainly(file);
        else
          read_points(file);
      }
    });
    const double writing = output.empty() ? 0 : bench::write_alone(output, queries, k);
    std::printf("%.6f\n", reading + writing);
    return 0;
  } catch (const Error& e) {
    std::fprintf(stderr, "bench_io_floor: error: %s\n", e.what());
    return e.exit_code();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_io_floor: error: %s\n", e.what());
    return static_cast<int>(ErrorKind::internal);
  }
}
