// Reads inputs, or writes an output, without a search, to measure these parts of the whole program: with the reader and
// the writer of kann, or with plain read() and write(). Prints the seconds on stdout, without the start of the process.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <span>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "kann/array.hpp"
#include "kann/error.hpp"
#include "kann/io.hpp"

#include "base/threads/parallel.hpp"
#include "common/spread.hpp"

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

void check_call(bool good, const std::string& path) {
  if (!good) throw Error(ErrorKind::resources, path + ": " + std::strerror(errno));
}

/// fsync(), rename(), and fsync() of the folder.
void publish(int file, const std::string& temporary, const std::string& path) {
  check_call(fsync(file) == 0 && close(file) == 0 && rename(temporary.c_str(), path.c_str()) == 0, temporary);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int names = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  check_call(names >= 0 && fsync(names) == 0 && close(names) == 0, path);
}

/// As many bytes as the values of a result, as durable as a result: write() to another name, fsync(), rename(), and
/// fsync() of the folder. With `early`, the disk starts on each chunk while the next is copied, as kann does it.
void write_plainly(const std::string& path, const Neighbors& neighbors, bool early) {
  const std::string temporary = path + ".tmp";
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  check_call(file >= 0, temporary);
  off_t begin = 0;
  for (auto left : {std::as_bytes(std::span(neighbors.ids)), std::as_bytes(std::span(neighbors.distances))}) {
    while (!left.empty()) {
      const ssize_t written = write(file, left.data(), std::min<std::size_t>(left.size(), 8 << 20));
      check_call(written > 0, temporary);
      if (early) static_cast<void>(sync_file_range(file, begin, written, SYNC_FILE_RANGE_WRITE));
      begin += written;
      left = left.subspan(static_cast<std::size_t>(written));
    }
  }
  publish(file, temporary, path);
}

/// The same past the kernel's cache (O_DIRECT), in whole blocks: up to 4 KiB of each array are left out.
void write_directly(const std::string& path, const Neighbors& neighbors) {
  constexpr std::size_t block = 4096;
  const std::string temporary = path + ".tmp";
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, 0666);
  check_call(file >= 0, temporary);
  for (auto left : {std::as_bytes(std::span(neighbors.ids)), std::as_bytes(std::span(neighbors.distances))}) {
    for (left = left.first(left.size() / block * block); !left.empty();) {
      const ssize_t written = write(file, left.data(), std::min<std::size_t>(left.size(), 8 << 20));
      check_call(written > 0, temporary);
      left = left.subspan(static_cast<std::size_t>(written));
    }
  }
  publish(file, temporary, path);
}

enum class Way { kann, plain, early, direct };

/// Seconds to write a result of `queries` rows of `k` neighbours, which is made before the clock starts.
double write_alone(const std::string& path, std::int64_t queries, std::int64_t k, Way way) {
  Neighbors neighbors{queries, k, {}, {}};
  neighbors.ids.resize(static_cast<std::size_t>(queries * k));
  neighbors.distances.resize(static_cast<std::size_t>(queries * k));
  base::parallel_for(queries * k, base::thread_count(0), [&](std::int64_t i) {
    neighbors.ids[i] = static_cast<std::int32_t>(i / k);
    neighbors.distances[i] = static_cast<float>(i % k);
  });
  return timed([&] {
    if (way == Way::direct) return write_directly(path, neighbors);
    if (way != Way::kann) return write_plainly(path, neighbors, way == Way::early);
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
  bool plain = false, early = false, direct = false;
  app.add_option("--read", files, "clouds to read, one after the other");
  app.add_flag("--plain", plain, "by read() and write(), without parsing, formats and checksums");
  app.add_flag("--early", early, "with --plain --write: the disk starts before all is written");
  app.add_flag("--direct", direct, "with --plain --write: past the kernel's cache");
  app.add_option("--write", output, "the .npz to write; with --plain, a file of the same values");
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
    const bench::Way way = direct  ? bench::Way::direct
                           : early ? bench::Way::early
                           : plain ? bench::Way::plain
                                   : bench::Way::kann;
    const double writing = output.empty() ? 0 : bench::write_alone(output, queries, k, way);
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
