// Two clouds and their exact answer, to compare results with.
#pragma once

#include <string>
#include <vector>

#include "run_kann.hpp"

namespace kann::test {

class CompareTest : public ProgramTest {
 protected:
  /// 500 queries among as many other points, and their exact answer in truth.FORMAT.
  void prepare(const std::string& format = "ivecs", const std::string& k = "20") {
    write_cloud("pts.xyz", 500, 1);
    write_cloud("q.xyz", 500, 2);
    EXPECT_EQ(run({"--data", "pts.xyz", "--query", "q.xyz", "-k", k, "--exact", "--device", "cpu", "-o",
                   "truth." + format, "--force"})
                  .exit_code,
              0);
  }
  Outcome compare(std::vector<std::string> more = {}, const std::string& truth = "truth.ivecs") const {
    std::vector<std::string> all{"--data",   "pts.xyz", "--query", "q.xyz",     "--device", "cpu",
                                 "--output", "nn.npz",  "--force", "--compare", truth};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  static bool has(const Outcome& o, const std::string& text) { return o.err.find(text) != std::string::npos; }
};

}  // namespace kann::test
