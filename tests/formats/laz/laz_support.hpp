// Shared by the tests of LAZ: the files that laz_test.py has made in the folder KANN_LAZ_FOLDER.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "formats/las/las_header.hpp"
#include "formats/points/samples.hpp"

namespace kann::test {

namespace fs = std::filesystem;

inline fs::path folder() { return std::getenv("KANN_LAZ_FOLDER"); }

/// All names NAME.laz of the folder that begin so, without the extension.
inline std::vector<std::string> clouds(const std::string& begin = "") {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(folder()))
    if (entry.path().extension() == ".laz" && entry.path().filename().string().starts_with(begin))
      all.push_back((folder() / entry.path().stem()).string());
  std::ranges::sort(all);
  return all;
}

inline std::string file(const std::string& name) { return contents((folder() / (name + ".laz")).string()); }

inline const std::vector<ReadOptions> k_reads = {
    {}, {.columns = {"x", "y"}, .attributes = {"intensity"}}, {.all_attributes = true, .las_records = true}};

/// The same without what the writer of the file says of itself, and without where extended records are.
inline ReadOutcome comparable(ReadOutcome outcome) {
  const std::size_t head = outcome.facts.find("| las LASF");
  if (head != std::string::npos && outcome.facts[head + 6 + formats::las_header::minor] >= 4)
    outcome.facts.replace(head + 6 + formats::las_header::extended_begin, 8, 8, '\0');
  return outcome;
}

/// Makes a FIFO, and starts a command of the shell in which {} stands for it.
inline std::string fifo(const TemporaryFolder& place, std::string command) {
  const std::string path = place.file("pipe");
  EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
  command.replace(command.find("{}"), 2, path);
  EXPECT_EQ(std::system((command + " &").c_str()), 0);
  return path;
}

}  // namespace kann::test
