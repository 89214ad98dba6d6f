// Shared by the tests of what is made of the neighbours: a line of points with attributes, and clouds read as tables.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "run_kann.hpp"

namespace kann::test {

/// The columns of a CSV file of numbers, by name.
using Table = std::map<std::string, std::vector<double>>;

inline Table table_of(const std::string& text) {
  std::istringstream lines(text);
  std::string line, cell;
  std::vector<std::string> names;
  Table table;
  std::getline(lines, line);
  for (std::istringstream cells(line); std::getline(cells, cell, ',');) names.push_back(cell);
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    for (const std::string& name : names) {
      std::getline(cells, cell, ',');
      table[name].push_back(std::stod(cell));
    }
  }
  return table;
}

class AnswersTest : public ProgramTest {
 protected:
  explicit AnswersTest(const std::string& always = "--data p.csv --query q.csv --device cpu -k 2 --exact")
      : ProgramTest(always) {
    // A line along x, where point i has the class i / 4 and the height i²; the queries are between the points
    std::string data = "x,y,z,class,height,red\n", query = "x,y,z,mark\n";
    for (int i = 0; i < 40; ++i)
      data += std::to_string(i) + ",0,0," + std::to_string(i / 4) + "," + std::to_string(i * i) + ".5," +
              std::to_string(6 * i) + "\n";
    for (int i = 0; i < 20; ++i) query += std::to_string(2 * i) + ".25,0,0," + std::to_string(100 + i) + "\n";
    write_file("p.csv", data);
    write_file("q.csv", query);
  }

  Table cloud(const std::string& more) const {
    const Outcome o = succeeds(more + " -o out.csv --output-format cloud-csv --force");
    EXPECT_EQ(o.out, "out.csv\n");
    return table_of(read_file("out.csv"));
  }
};

}  // namespace kann::test
