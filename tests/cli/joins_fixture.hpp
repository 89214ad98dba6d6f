// Shared by the tests of joins: two tables with text, joined as a user does it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "run_kann.hpp"

namespace kann::test {
class JoinsTest : public ProgramTest {
 protected:
  JoinsTest() {
    write_file("trees.csv",
               "id,x,y,kind,size\n"
               "0017,0,0,oak,12.50\n"
               "0018,5,0,\"elm, old\",\n"
               "0100,5,1,\"the \"\"big\"\" one\",7\n");
    write_file("sensors.csv", "name,x,y,size\na,0,1,2\nb,5,0.25,3\n,90,90,4\nd,1,0,5\n");
  }

  Outcome join(std::vector<std::string> more) const {
    more.insert(more.begin(), {"--data", "trees.csv", "--query", "sensors.csv", "--device", "cpu", "--force"});
    return run(more);
  }
  std::string table(std::vector<std::string> more, const std::string& file = "out.csv") const {
    more.insert(more.end(), {"-o", file});
    const Outcome o = join(more);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_EQ(o.out, file + "\n");
    return read_file(file);
  }
  void expect_refused(const std::vector<std::string>& more, int code, const std::string& message) const {
    const Outcome o = join(more);
    EXPECT_EQ(o.exit_code, code) << o.err;
    EXPECT_EQ(o.err, "kann: error: " + message + "\n");
    EXPECT_FALSE(std::filesystem::exists(path("out.csv")));
  }
};

inline constexpr const char* k_header =
    "name,query_x,query_y,query_size,id,data_x,data_y,kind,data_size,nn_id,nn_distance\n";

}  // namespace kann::test
