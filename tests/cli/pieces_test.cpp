// Queries in pieces, as a user runs it: --max-memory is enough for the data.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "clouds.hpp"
#include "file_size_limit.hpp"
#include "ply_text.hpp"
#include "run_kann.hpp"

namespace kann::test {
namespace {

using nlohmann::json;

class PiecesTest : public ProgramTest {
 protected:
  PiecesTest() {
    write_file("q.ply", binary_ply(uniform(50'000, 3, 2)));
    write_file("many.ply", binary_ply(uniform(300'000, 3, 5)));
  }

  Outcome search(std::vector<std::string> more) const {
    more.insert(more.begin(), {"--data", "q.ply", "--query", "many.ply", "--device", "cpu", "--force"});
    return run(more);
  }
};

/// Rows that are written as they are found, and those that are kept for others to look at.
TEST_F(PiecesTest, TheBytesAreThoseOfASearchInMemory) {
  for (const char* method : {"--exact", "--shifts=5"})
    for (const char* format : {"npz", "npy", "bin", "ibin", "ivecs", "fbin", "fvecs", "csv"}) {
      const std::vector<std::string> arguments = {method, "-k7", "--output-format", format};
      const auto result = [&](std::vector<std::string> more, bool is_in_pieces) {
        more.insert(more.begin(), arguments.begin(), arguments.end());
        more.insert(more.end(), {"-o", "o"});
        const Outcome o = search(more);
        EXPECT_EQ(o.exit_code, 0) << o.err;
        EXPECT_EQ(o.err.find(" pieces: read ") != std::string::npos, is_in_pieces) << o.err;
        std::string bytes = read_file("o");
        if (more[3] == "npy") bytes += read_file("o.distances.npy");
        return bytes;
      };
      const std::string want = result({}, false);
      for (const char* memory : {"72M", "63M"}) {
        EXPECT_TRUE(result({"--max-memory", memory}, true) == want) << method << format << memory;
        EXPECT_TRUE(result({"--max-memory", memory, "--report", "r.json"}, true) == want) << method << format << memory;
      }
    }
  EXPECT_EQ(files(), (std::vector<std::string>{"many.ply", "o", "o.distances.npy", "q.ply", "r.json"}));
}

TEST_F(PiecesTest, TheReportIsThatOfASearchInMemory) {
  for (const char* method : {"--exact", "--shifts=3", "--window=6"}) {
    const auto report = [&](const char* memory) {
      const Outcome o = search({method, "-k7", "-o", "o.npz", "--report", "r.json", "--max-memory", memory});
      EXPECT_EQ(o.exit_code, 0) << o.err;
      return json::parse(read_file("r.json"));
    };
    const json want = report("1T"), got = report("63M");
    EXPECT_FALSE(want.contains("tiles"));
    EXPECT_EQ(got.at("tiles").at("count"), 1);
    EXPECT_GT(got.at("tiles").at("pieces"), 1);
    for (const char* key : {"method", "shifts", "window", "bits", "doubtful", "sample", "warnings", "statistics"})
      EXPECT_EQ(got.value(key, json()), want.value(key, json())) << key;
  }
}

TEST_F(PiecesTest, ADiskThatIsFullLeavesTheOldFile) {
  for (const char* format : {"npz", "bin", "csv"}) {
    write_file("o", "old");
    const FileSizeLimit limit(4 << 20);
    const Outcome o = search({"--exact", "-k7", "-o", "o", "--output-format", format, "--max-memory", "65M"});
    EXPECT_EQ(o.exit_code, 4) << o.err;
    EXPECT_EQ(o.err, "kann: error: o: File too large (old file kept)\n") << format;
    EXPECT_EQ(read_file("o"), "old");
    EXPECT_EQ(files(), (std::vector<std::string>{"many.ply", "o", "q.ply"}));
  }
}

}  // namespace
}  // namespace kann::test
