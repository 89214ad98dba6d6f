// A hostile file takes at most 64 MiB of memory, with all attributes 128, and a second of processor time, whatever it
// claims.
#include <fstream>
#include <functional>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/file_contents.hpp"
#include "formats/points/read_support.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool k_is_sanitized = true;  // their shadow memory counts as the process's
#else
constexpr bool k_is_sanitized = false;
#endif

namespace kann::formats {

using namespace test;

namespace {

struct Hostile {
  const char* name;
  const char* file;
  std::string (*bytes)();  ///< a function, since every run of this program would build a table of megabytes
};
void PrintTo(const Hostile& h, std::ostream* out) { *out << h.name; }

constexpr std::size_t k_size = 999'000;
constexpr const char* k_start = "ply\nformat ascii 1.0\n";

std::string repeated(const std::string& text, std::size_t bytes = k_size) {
  std::string out;
  while (out.size() < bytes) out += text;
  return out;
}

/// Lines with increasing numbers between `before` and `after`.
std::string numbered(const std::string& before, const std::string& after) {
  std::string out;
  for (int i = 0; out.size() < k_size; ++i) out += before + std::to_string(i) + after;
  return out;
}

/// Two thousand entries of the directory for one member of 470 kB.
std::string npz_of_one_place() {
  const std::string one = zip({{.name = "a.npy", .content = repeated("\x93NUMPY", 470'000)}});
  const std::size_t start = one.find("PK\1\2"), end = one.find("PK\5\6");
  std::string all = one.substr(0, start), last = one.substr(end);
  for (int i = 0; i < 2000; ++i) all += one.substr(start, end - start);
  for (const std::size_t count : {8u, 10u}) last.replace(count, 2, bytes_of<std::uint16_t>(2000));
  last.replace(12, 4, bytes_of(static_cast<std::uint32_t>(2000 * (end - start))));
  return all + last;
}

const Hostile k_hostile_files[] = {
    {"Properties", "a.ply", [] { return k_start + ("element vertex 1\n" + numbered("property char p", "\n")); }},
    {"ListProperties", "a.ply",
     [] { return k_start + ("element vertex 1\n" + numbered("property list int int p", "\n")); }},
    {"Elements", "a.ply", [] { return k_start + numbered("element e", " 4294967295\n"); }},
    {"Comments", "a.ply", [] { return k_start + repeated("comment\n"); }},
    {"BlankHeaderLines", "a.ply", [] { return k_start + repeated("\n"); }},
    {"LongHeaderLine", "a.ply", [] { return k_start + std::string(k_size, 'a'); }},
    {"TenMegabyteHeaderLine", "a.ply", [] { return k_start + ("comment " + std::string(10'000'000, 'a')); }},
    {"HugeAsciiCount", "a.ply", [] { return ascii_ply("18446744073709551615", repeated("1 2 3\n")); }},
    {"TinyRows", "a.ply", [] { return ascii_ply("166000", repeated("1 2 3\n")); }},
    {"BlankRows", "a.ply", [] { return ascii_ply("160000", std::string(k_size, '\n')); }},
    {"HugeBinaryCount", "a.ply", [] { return binary_ply("18446744073709551615", std::string(k_size, 'a')); }},
    {"TinyBinaryRows", "a.ply",
     [] {
       return binary_ply("333000", std::string(k_size, 'a'), "property char x\nproperty char y\nproperty char z\n");
     }},
    {"TinyRaggedRows", "a.ply",
     [] {
       return binary_ply("249000", std::string(k_size, '\0'),
                         "property char x\nproperty char y\nproperty char z\nproperty list uchar int l\n");
     }},
    {"EmptyLists", "a.ply",
     [] {
       return "ply\nformat binary_little_endian 1.0\nelement face 998000\nproperty list uchar int l\n"
              "element vertex 0\n" +
              k_xyz + "end_header\n" + std::string(k_size, '\0');
     }},
    {"ElementWithoutProperties", "a.ply",
     [] {
       return k_start + ("element none 18446744073709551615\nelement vertex 1\n" + k_xyz + "end_header\n1 2 3\n");
     }},
    {"LasHugeCount", "a.las", [] { return las({.count_32 = 4294967295, .tail = std::string(k_size, 'a')}); }},
    {"LasHugeCountOf14", "a.las",
     [] { return las({.minor = 4, .count_32 = 0, .count_64 = 0x7fffffffffffffff, .tail = std::string(k_size, 'a')}); }},
    {"LasPoints", "a.las", [] { return las({.count_32 = 49'000, .tail = std::string(k_size, 'a')}); }},
    {"FvecsHugeDimension", "a.fvecs", [] { return repeated(bytes_of(0x7fffffff)); }},
    {"FvecsRows", "a.fvecs",
     [] {
       return repeated(bytes_of(2) + bytes_of_all<float>({1, 2}));
     }},
    {"FbinHugeCount", "a.fbin", [] { return bytes_of(-1) + bytes_of(3) + std::string(k_size, 'a'); }},
    {"Kitti", "a.kitti", [] { return std::string(1'000'000, 'a'); }},
    {"NpzMembers", "a.npz",
     [] {
       std::vector<ZipPart> parts;
       for (int i = 0; i < 9000; ++i) parts.push_back({.name = std::to_string(i) + ".npy", .content = ""});
       return zip(parts);
     }},
    {"NpzMembersAtOnePlace", "a.npz", [] { return npz_of_one_place(); }},
    {"NpzBomb", "a.npz", [] { return npz_of_zeros(60'000'000); }},
    {"NpzBelowTheLimit", "a.npz", [] { return npz_of_zeros(24'000'000); }},
    {"NpzSmallTypes", "a.npz", [] { return npz_of_zeros(24'000'000, "|u1"); }},
    {"NpzDirectoryAlone", "a.npz", [] { return repeated("PK\5\6"); }},
    {"PcdHugeCount", "a.pcd", [] { return pcd("binary", "18446744073709551615", std::string(k_size, 'a')); }},
    {"PcdHugeAsciiCount", "a.pcd", [] { return pcd("ascii", "4294967295", repeated("1 2 3\n")); }},
    {"PcdTinyRows", "a.pcd",
     [] { return pcd("binary", "333000", std::string(k_size, 'a'), "FIELDS x y z\nSIZE 1 1 1\nTYPE U U U\n"); }},
    {"PcdTinyLines", "a.pcd",
     [] { return pcd("ascii", "249750", repeated("1 2\n"), "FIELDS x y\nSIZE 8 8\nTYPE F F\n"); }},
    {"PcdManyFields", "a.pcd", [] { return "FIELDS " + repeated("x ") + "\n"; }},
    {"PcdOneLine", "a.pcd", [] { return pcd("ascii", "1", repeated("1 ")); }},
    {"PcdFieldsOfManyValues", "a.pcd",
     [] {
       return pcd("ascii", "1", repeated("1 "), "FIELDS x y z a\nSIZE 4 4 4 1\nTYPE F F F U\nCOUNT 1 1 1 16000000\n");
     }},
    {"PcdCompressedRun", "a.pcd",
     [] {
       std::string lzf = std::string("\0a", 2) + repeated("\xe0\xff" + std::string(1, '\0'), 999'000);
       return pcd("binary_compressed", "7325000", compressed_body(lzf, 87'900'000));
     }},
    {"PcdCompressedRunBelowTheLimit", "a.pcd",
     [] {
       std::string lzf = std::string("\0a", 2);
       for (int i = 0; i < 56'817; ++i) lzf += "\xe0\xff" + std::string(1, '\0');
       lzf += "\xe0\x01" + std::string(1, '\0');  // 1 + 56,817 · 264 + 10
       return pcd("binary_compressed", "4999899", compressed_body(lzf, 14'999'697),
                  "FIELDS x y z\nSIZE 1 1 1\nTYPE U U U\n");
     }},
    {"TextBlankLines", "a.xyz", [] { return std::string(k_size, '\n'); }},
    {"TextTinyRows", "a.xyz", [] { return repeated("1 2\n"); }},
    {"TextOneLine", "a.csv", [] { return repeated("1,"); }},
    {"TextManyColumns", "a.csv", [] { return repeated("x,", k_size / 2) + "\n" + repeated("1,", k_size / 2); }},
    {"TextNoDelimiter", "a.xyz", [] { return std::string(k_size, '1'); }},
    {"TextBlanks", "a.xyz", [] { return std::string(k_size, ' '); }},
    {"TextComments", "a.xyz", [] { return repeated("#\n"); }},
    {"TextLineBreaksInCells", "a.csv",
     [] { return "x,y,z" + repeated(",a", k_size / 3) + "\n1,2,3" + repeated(",\"\n\"", k_size / 3 * 2) + "\n"; }},
    {"TextZeros", "a.xyz", [] { return std::string(k_size, '\0'); }},
    {"TextEmptyCells", "a.csv", [] { return repeated(",\n"); }},
    {"TextNumberedRows", "a.csv", [] { return numbered("", ",1,2,3\n"); }},
    {"TextManyNames", "a.csv", [] { return numbered("c", ",") + "\n"; }},
    {"TextLongName", "a.csv", [] { return repeated("x_") + ",b\n1,2\n"; }},
    {"TextTenMegabyteLine", "a.csv", [] { return repeated("1,", 10'000'000); }},
    {"TextCommentOfManyNames", "a.csv",
     [] { return "#" + numbered("c", ",").substr(0, k_size / 2) + "\n" + repeated("1,", k_size / 2); }},
    {"NpyFields", "a.npy", [] { return npy_of("{'descr': [" + numbered("('f", "', '<f4'), "), "", 2); }},
    {"NpyNestedFields", "a.npy", [] { return npy_of("{'descr': " + repeated("[('f', "), "", 2); }},
    {"NpyNestedHeader", "a.npy", [] { return npy_of("{'shape': " + std::string(k_size - 10, '('), "", 2); }},
    {"NpyHugeShape", "a.npy", [] { return npy_array("'<f4'", "(18446744073709551615, 3)", std::string(k_size, 'a')); }},
};

/// The field ("VmRSS", "VmHWM") of this process's status, in KiB.
std::int64_t process_kib(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kib = 0;
    if (word == field + ":" && status >> kib) return kib;
  }
  return -1;
}

struct Cost {
  int exit_code = 99;
  std::int64_t peak_kib = -1;  ///< above the memory held before; −1: not known
};

/// What a reader does with a file.
using Read = std::function<void(const std::string& path)>;

Cost cost_of_reading(const std::string& path, const Read& read) {
  Cost cost;
  malloc_trim(0);  // free memory that the process still holds would be used without being counted
  const std::int64_t before = process_kib("VmRSS");
  const bool is_known = static_cast<bool>(std::ofstream("/proc/self/clear_refs") << 5 << std::flush);  // resets VmHWM
  try {
    read(path);
    cost.exit_code = 0;
  } catch (const Error& error) {
    cost.exit_code = error.exit_code();
  } catch (...) {
  }
  if (is_known) cost.peak_kib = process_kib("VmHWM") - before;
  return cost;
}

class ReadLimits : public testing::TestWithParam<Hostile> {
 protected:
  void check(const Read& read, std::int64_t most_mib);
};

/// Reads in a child process, to observe its signal and memory. A reader that hangs is ended by SIGXCPU; the processor
/// time of the others is recorded, and a millisecond or so.
void ReadLimits::check(const Read& read_file, std::int64_t most_mib) {
  const TemporaryFolder folder;
  const std::string path = folder.file(GetParam().file);
  put_contents(path, GetParam().bytes());

  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    constexpr rlimit hang = {60, 60};  // seconds of processor time
    setrlimit(RLIMIT_CPU, &hang);
    const Cost cost = cost_of_reading(path, read_file);
    _exit(write(ends[1], &cost, sizeof cost) == sizeof cost ? 0 : 1);
  }
  close(ends[1]);
  Cost cost;
  const ssize_t got = read(ends[0], &cost, sizeof cost);
  close(ends[0]);
  int status = 0;
  rusage usage{};
  ASSERT_EQ(wait4(child, &status, 0, &usage), child);
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  ASSERT_EQ(got, static_cast<ssize_t>(sizeof cost));

  EXPECT_TRUE(cost.exit_code == 0 || cost.exit_code == 3) << cost.exit_code;
  RecordProperty("processor_ms", std::to_string(1000 * (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                                                (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000));
  if (k_is_sanitized) return;
  if (cost.peak_kib < 0) GTEST_SKIP() << "the kernel does not reset the peak of a process's memory";
  EXPECT_LT(cost.peak_kib, most_mib * 1024);
  RecordProperty("peak_kib", std::to_string(cost.peak_kib));
}

TEST_P(ReadLimits, MemoryIsBoundedAndNothingHangs) {
  check([](const std::string& path) { read_points(path); }, 64);
}

TEST_P(ReadLimits, WithAllAttributes) {
  check([](const std::string& path) { read_points(path, {.all_attributes = true, .las_records = true}); }, 128);
}

TEST_P(ReadLimits, BlockByBlock) {
  check(
      [](const std::string& path) {
        std::int64_t points = 0;
        const FileContents file(path, {});
        file.for_each_block([&](std::int64_t, const Cloud& block) { points += block.points.size(); });
        if (points != file.size()) throw std::logic_error("not all points came");
      },
      128);
}

INSTANTIATE_TEST_SUITE_P(All, ReadLimits, testing::ValuesIn(k_hostile_files),
                         [](const auto& hostile) { return std::string(hostile.param.name); });

}  // namespace
}  // namespace kann::formats
