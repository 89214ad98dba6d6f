// Shared by the tests of files: a temporary folder, pipes, sample results, and functions that read them back.
#pragma once

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "kann/error.hpp"
#include "kann/io.hpp"

#include "clouds.hpp"

namespace kann::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kann_write_XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path path_;
};

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put_contents(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Rows with some missing neighbours, and ids and distances of all magnitudes.
inline Neighbors sample_neighbors(std::int64_t queries, std::int64_t k, std::uint64_t seed = 7) {
  Random r(seed);
  Neighbors n{queries, k, {}, {}};
  for (std::int64_t i = 0; i < queries * k; ++i) {
    const bool missing = r.below(9) == 0;
    n.ids.push_back(missing ? k_missing_id : static_cast<std::int32_t>(r.below(1u << 31)));
    n.distances.push_back(missing ? std::numeric_limits<float>::infinity()
                                  : static_cast<float>(std::ldexp(r.uniform(), static_cast<int>(r.below(200)) - 120)));
  }
  return n;
}

/// Rows [first, end) of `n`, `block` at a time.
inline RowBlocks rows_of(const Neighbors& n, std::int64_t first, std::int64_t end, std::int64_t block,
                         bool is_wide = false) {
  return {end - first, n.k, is_wide, [&n, first, end, block, is_wide](const RowBlocks::Sink& sink) {
            for (std::int64_t begin = first; begin < end; begin += block) {
              const std::int64_t stop = std::min(end, begin + block);
              const auto at = static_cast<std::size_t>(begin * n.k),
                         size = static_cast<std::size_t>((stop - begin) * n.k);
              const std::span<const std::int32_t> narrow = std::span(n.ids).subspan(at, size);
              const std::vector<std::int64_t> wide(narrow.begin(), narrow.end());
              Rows rows{begin, stop - begin, n.k, {}, narrow, std::span(n.distances).subspan(at, size)};
              if (is_wide) rows.ids = std::span<const std::int64_t>(wide);
              sink(rows);
            }
          }};
}

inline void write_file(const std::string& path, NeighborFormat format, const Neighbors& neighbors,
                       const std::string& meta = "{}", bool replace = false) {
  NeighborFile file(path, format, replace);
  file.write(neighbors, meta);
  file.commit();
}

/// The Error that `f` throws, if it throws one.
template <class F>
std::optional<Error> error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

/// The exit code and the message of the Error that `f` throws, as in "4: a.bin: No space left on device"; else "".
template <class F>
std::string failure_of(F&& f) {
  const auto error = error_of(f);
  return error ? std::to_string(error->exit_code()) + ": " + error->what() : "";
}

/// Redirects a descriptor, such as that of standard input, to another, which it closes.
class Redirected {
 public:
  Redirected(int descriptor, int to) : descriptor_(descriptor), old_(dup(descriptor)) {
    dup2(to, descriptor);
    close(to);
  }
  Redirected(int descriptor, const std::string& path)
      : Redirected(descriptor, open(path.c_str(), descriptor == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC, 0600)) {}
  ~Redirected() {
    dup2(old_, descriptor_);
    close(old_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int descriptor_, old_;
};

/// A FIFO to which the bytes are written on a thread, and which must be opened.
class Pipe {
 public:
  Pipe(const std::string& name, std::string bytes) : path_(folder_.file(name)) {
    if (mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error("mkfifo failed");
    std::signal(SIGPIPE, SIG_IGN);  // a reader may leave
    writer_ = std::jthread([path = path_, bytes = std::move(bytes)] { put_contents(path, bytes); });
  }
  const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::string path_;
  std::jthread writer_;
};

/// The number of type T at byte `offset` of `bytes`, little-endian, read byte by byte.
template <class T>
T number_at(const std::string& bytes, std::size_t offset) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes.at(offset + i))) << 8 * i;
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
Array<T> numbers_at(const std::string& bytes, std::size_t offset, std::size_t count) {
  Array<T> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(number_at<T>(bytes, offset + i * sizeof(T)));
  return values;
}

/// Runs a Python program with arguments and returns its exit status.
inline int run_python(const std::string& program, const std::string& arguments = "") {
  return std::system(("/usr/bin/python3 -c '" + program + "' " + arguments + " 2>&1").c_str());
}
inline bool has_numpy() { return run_python("import numpy", ">/dev/null") == 0; }

}  // namespace kann::test
