// Clouds of more points than memory holds, and the check of a search in them: the points are made anew wherever they
// are needed, so that brute force reads no file.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>
#include <unistd.h>
#include <vector>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"

namespace {

using kann::Error;
using kann::ErrorKind;

struct Place {
  float axes[3];
};

/// Point number `i` of a cloud in the unit cube: splitmix64 of its number and axis.
Place point(std::uint64_t seed, std::int64_t i) {
  Place place;
  for (std::uint64_t a = 0; a < 3; ++a) {
    std::uint64_t z = (static_cast<std::uint64_t>(i) * 3 + a + 1) * 0x9e3779b97f4a7c15 + seed * 0xd1342543de82ef95;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    place.axes[a] = static_cast<float>((z ^ (z >> 31)) >> 40) * 0x1p-24f;
  }
  return place;
}

/// Writes an npy file of n × 3 float32s.
void make(const std::string& path, std::int64_t n, std::uint64_t seed, int threads) {
  std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, 3), }}", n);
  header.resize(117, ' ');
  header += '\n';
  const std::string head = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0 || ::write(file, head.data(), head.size()) != static_cast<ssize_t>(head.size()))
    throw Error(ErrorKind::resources, path + ": cannot be written");
  kann::base::parallel_chunks(n, 1 << 18, threads, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Place> some;
    for (std::int64_t i = begin; i < end; ++i) some.push_back(point(seed, i));
    const auto bytes = some.size() * sizeof(Place);
    const auto offset = static_cast<off_t>(head.size() + static_cast<std::size_t>(begin) * sizeof(Place));
    if (::pwrite(file, some.data(), bytes, offset) != static_cast<ssize_t>(bytes))
      throw Error(ErrorKind::resources, path + ": " + std::strerror(errno));
  });
  ::close(file);
}

struct Candidate {
  double sq_dist;
  std::int64_t id;

  auto operator<=>(const Candidate&) const = default;
};

/// As kann's exact method has it.
double sq_distance(const Place& p, const Place& q) {
  double d[3];
  for (int a = 0; a < 3; ++a) d[a] = double{q.axes[a]} - double{p.axes[a]};
  return std::fma(d[2], d[2], std::fma(d[1], d[1], d[0] * d[0]));
}

/// The k nearest of all data to each query, by brute force.
std::vector<std::vector<Candidate>> nearest(std::uint64_t seed, std::int64_t n, const std::vector<Place>& queries,
                                            std::size_t k, int threads) {
  std::vector<std::vector<Candidate>> all(queries.size());
  std::mutex mutex;
  kann::base::parallel_chunks(n, 1 << 22, threads, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::vector<Candidate>> lists(queries.size());
    std::vector<float> bounds(queries.size(), std::numeric_limits<float>::infinity());
    for (std::int64_t i = begin; i < end; ++i) {
      const Place p = point(seed, i);
      for (std::size_t q = 0; q < queries.size(); ++q) {
        const float x = queries[q].axes[0] - p.axes[0], y = queries[q].axes[1] - p.axes[1],
                    z = queries[q].axes[2] - p.axes[2];
        if (!(x * x + y * y + z * z <= bounds[q])) continue;
        std::vector<Candidate>& list = lists[q];
        list.push_back({sq_distance(p, queries[q]), i});
        std::ranges::push_heap(list);
        if (list.size() <= k) continue;
        std::ranges::pop_heap(list);
        list.pop_back();
        bounds[q] = static_cast<float>(list.front().sq_dist) * 1.001f;  // float32 rounds far less
      }
    }
    const std::lock_guard lock(mutex);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      all[q].insert(all[q].end(), lists[q].begin(), lists[q].end());
      std::ranges::sort(all[q]);
      all[q].resize(std::min(all[q].size(), k));
    }
  });
  return all;
}

/// The values of an npy file, of whatever type they are.
template <class To>
std::vector<To> read_npy(const std::string& path, std::int64_t& rows) {
  std::ifstream file(path, std::ios::binary);
  char magic[10];
  if (!file.read(magic, sizeof magic)) throw Error(ErrorKind::bad_input, path + ": cannot be read");
  std::string header(static_cast<unsigned char>(magic[8]) + 256u * static_cast<unsigned char>(magic[9]), ' ');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  long long m = 0, k = 0;
  std::sscanf(header.c_str() + header.find("'shape': (") + 10, "%lld, %lld", &m, &k);
  rows = m;
  std::vector<To> values(static_cast<std::size_t>(m * k));
  const auto read = [&](auto zero) {
    std::vector<decltype(zero)> stored(values.size());
    file.read(reinterpret_cast<char*>(stored.data()), static_cast<std::streamsize>(stored.size() * sizeof zero));
    std::ranges::copy(stored, values.begin());
  };
  if (header.find("<i8") != std::string::npos)
    read(std::int64_t{});
  else if (header.find("<i4") != std::string::npos)
    read(std::int32_t{});
  else
    read(float{});
  if (!file) throw Error(ErrorKind::bad_input, path + ": too short");
  return values;
}

/// Compares rows of a result, NAME.npy and NAME.distances.npy, with brute force. Returns how many differ.
int check(const std::string& result, std::int64_t n, std::int64_t m, std::uint64_t seed, std::int64_t sample,
          int threads) {
  std::int64_t rows = 0;
  const auto ids = read_npy<std::int64_t>(result, rows);
  const auto distances = read_npy<float>(result.substr(0, result.size() - 4) + ".distances.npy", rows);
  if (rows != m || ids.size() != distances.size()) throw Error(ErrorKind::bad_input, result + ": other queries");
  const std::size_t k = ids.size() / static_cast<std::size_t>(m);
  std::vector<Place> queries;
  std::vector<std::int64_t> numbers;
  for (std::int64_t s = 0; s < sample; ++s) {
    numbers.push_back(m / sample * s);
    queries.push_back(point(seed + 1, numbers.back()));
  }
  const auto want = nearest(seed, n, queries, k, threads);
  int wrong = 0;
  std::int64_t wide = 0;
  for (std::size_t s = 0; s < want.size(); ++s) {
    bool is_same = true;
    for (std::size_t i = 0; i < want[s].size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(numbers[s]) * k + i;
      is_same &= ids[at] == want[s][i].id && distances[at] == static_cast<float>(std::sqrt(want[s][i].sq_dist));
      wide += ids[at] > std::numeric_limits<std::int32_t>::max();
    }
    wrong += !is_same;
  }
  std::printf("{\"points\": %lld, \"rows\": %zu, \"wrong\": %d, \"ids_past_int32\": %lld}\n", static_cast<long long>(n),
              want.size(), wrong, static_cast<long long>(wide));
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Make clouds of any number of points, and check searches in them");
  std::string file;
  std::int64_t points = 1000, queries = 1000, sample = 64;
  std::uint64_t seed = 1;
  int threads = 0;
  app.add_option("--threads", threads, "0: all");
  app.require_subcommand(1);
  CLI::App* const maker = app.add_subcommand("make", "a cloud, .npy");
  maker->add_option("file", file)->required();
  maker->add_option("--points", points);
  maker->add_option("--seed", seed, "of data; of their queries, one more");
  CLI::App* const checker = app.add_subcommand("check", "the exact result of a search, .npy, by brute force");
  checker->add_option("file", file)->required();
  checker->add_option("--points", points, "of the data");
  checker->add_option("--queries", queries);
  checker->add_option("--seed", seed, "of the data");
  checker->add_option("--sample", sample, "rows that are checked");
  CLI11_PARSE(app, argc, argv);
  try {
    const int count = kann::base::thread_count(threads);
    if (*maker) return make(file, points, seed, count), 0;
    return check(file, points, queries, seed, std::min(sample, queries), count) == 0 ? 0 : 1;
  } catch (const Error& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return e.exit_code();
  }
}
