// Each system call that writes a result fails once, in every format. Afterwards, the folder has the old result or the
// new one, whole, and nothing else.
#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "formats/faults.hpp"
#include "formats/write_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

using Files = std::map<std::string, std::string>;

constexpr const char* k_extensions[] = {"npz", "npy", "csv", "tsv", "bin", "ivecs", "ibin", "fvecs", "fbin"};
const std::string k_not_synced = " (the new file is whole, but a power failure may undo its name)";

class WriteEveryFault : public testing::TestWithParam<const char*> {
 protected:
  ~WriteEveryFault() override { faults = {}; }

  void write(std::int64_t queries, bool replace) {
    write_file(path_, *neighbor_format(GetParam()), sample_neighbors(queries, 3), "{}", replace);
  }

  Files files() const {
    Files all;
    for (const std::string& name : folder_.names()) all[name] = contents(folder_.file(name));
    return all;
  }
  void remove_files() {
    for (const std::string& name : folder_.names()) std::filesystem::remove(folder_.file(name));
  }

  /// Writes with the fault number 0, 1, … until none is reached, with an old result there and without. Returns the
  /// number of runs that failed.
  template <class FaultNumber, class IsReached>
  int fail_each(FaultNumber&& fault, IsReached&& is_reached) {
    int failures = 0;
    for (const bool replace : {false, true}) {
      remove_files();
      if (replace) write(5, false);
      const Files old = files();
      write(9, replace);
      const Files whole = files();
      EXPECT_NE(old, whole);
      for (int number = 0; !testing::Test::HasFailure(); ++number) {
        SCOPED_TRACE("call " + std::to_string(number) + (replace ? ", replacing" : ""));
        remove_files();
        if (replace) write(5, false);
        faults = fault(number);
        const auto error = error_of([&] { write(9, replace); });
        const bool reached = is_reached();
        faults = {};
        if (!error) {
          EXPECT_EQ(files(), whole);
          if (!reached) break;
          continue;  // the failure of a call that changes nothing, such as close() of the folder
        }
        ++failures;
        EXPECT_TRUE(reached);
        EXPECT_EQ(error->kind(), ErrorKind::resources);
        const std::string message = error->what();
        EXPECT_NE(message.find(": Input/output error"), message.npos) << message;
        if (GetParam() == std::string("npy") && !std::filesystem::exists(path_)) continue;  // formats.WritePair
        EXPECT_EQ(message.ends_with(" (old file kept)"), replace && !message.ends_with(k_not_synced)) << message;
        EXPECT_EQ(files(), message.ends_with(k_not_synced) ? whole : old) << message;
      }
    }
    return failures;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file(std::string("a.") + GetParam());
};

TEST_P(WriteEveryFault, OfWriting) {
  const int failures = fail_each([](int number) { return Faults{.write_errno = EIO, .good_writes = number}; },
                                 [] { return faults.good_writes < 0; });
  EXPECT_GE(failures, 2);
}

TEST_P(WriteEveryFault, OfSyncingClosingAndRenaming) {
  const int failures = fail_each([](int number) { return Faults{.good_calls = number, .call_errno = EIO}; },
                                 [] { return faults.good_calls < 0; });
  EXPECT_GE(failures, GetParam() == std::string("npy") ? 2 * 7 : 2 * 4);  // fsync, close, rename; fsync of the folder
}

INSTANTIATE_TEST_SUITE_P(Formats, WriteEveryFault, testing::ValuesIn(k_extensions),
                         [](const auto& format) { return std::string(format.param); });

}  // namespace
}  // namespace kann::formats
