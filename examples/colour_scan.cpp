// Gives each point of a scan the colour of the nearest point of a coloured cloud: colour_scan COLOURED SCAN OUT.ply
//
// `kann` does the same, and averages: kann --data COLOURED --query SCAN -k 4 --transfer red,green,blue --by idw -o
// OUT.ply
#include <cstdio>
#include <exception>
#include <kann/cloud_file.hpp>
#include <kann/io.hpp>
#include <kann/search.hpp>
#include <kann/transfer.hpp>
#include <string>
#include <vector>

int main(int count, char** arguments) try {
  if (count != 4) {
    std::fprintf(stderr, "usage: colour_scan COLOURED SCAN OUT.ply\n");
    return 2;
  }
  const kann::Cloud coloured = kann::read_points(arguments[1], {.attributes = {"red", "green", "blue"}});
  const kann::Cloud scan = kann::read_points(arguments[2], {.all_attributes = true});
  for (const kann::Cloud* const cloud : {&coloured, &scan})
    for (const std::string& warning : cloud->warnings) std::fprintf(stderr, "colour_scan: %s\n", warning.c_str());
  // Opened before the search: a file that cannot be written ends the program here. An existing one is not replaced.
  kann::CloudFile file(arguments[3], kann::CloudFormat::ply, false);

  kann::SearchOptions options;
  options.k = 1;
  const kann::Neighbors nearest = kann::search(coloured.points, scan.points, options).neighbors;
  const kann::TransferResult colours = kann::transfer(coloured.points, scan.points, nearest, coloured.attributes);

  // Colours of the scan itself come later, and thus are called red_1, green_1 and blue_1.
  std::vector<kann::Attribute> attributes = colours.attributes;
  attributes.insert(attributes.end(), scan.attributes.begin(), scan.attributes.end());
  file.write(scan.points, attributes);
  file.commit();  // the file is complete, or not there
  std::printf("%s: %lld points, %lld without a colour\n", arguments[3], static_cast<long long>(scan.points.size()),
              static_cast<long long>(colours.without_neighbors));
} catch (const std::exception& error) {
  std::fprintf(stderr, "colour_scan: %s\n", error.what());
  return 1;
}
