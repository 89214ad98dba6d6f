// Clouds that --max-memory brings into tiles.
#pragma once

#include <string>
#include <vector>

#include "clouds.hpp"
#include "ply_text.hpp"
#include "run_kann.hpp"

namespace kann::test {

class TilesTest : public ProgramTest {
 protected:
  TilesTest() {
    write_ply("p.ply", clusters(100'000, 3, 1));
    write_ply("q.ply", uniform(50'000, 3, 2));
  }

  void write_ply(const std::string& name, const Coordinates& c) { write_file(name, binary_ply(c)); }

  Outcome kann(std::vector<std::string> more) const {
    more.insert(more.begin(), {"--data", "p.ply", "--device", "cpu", "--threads", "2", "--force"});
    return run(more);
  }
};

}  // namespace kann::test
