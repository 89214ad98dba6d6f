// Writes a cloud of made_clouds.hpp as binary PLY, for scripts/whole-program.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <string>

#include "kann/error.hpp"

#include "common/made_clouds.hpp"

namespace {

void write_ply(const std::string& path, const kann::Points& points) {
  const auto& floats = std::get<kann::Array<float>>(points.coordinates);
  std::ofstream file(path, std::ios::binary);
  file << "ply\nformat binary_little_endian 1.0\nelement vertex " << points.size()
       << "\nproperty float x\nproperty float y\n"
       << (points.dimensions == 3 ? "property float z\n" : "comment dimensions 2\n") << "end_header\n";
  file.write(reinterpret_cast<const char*>(floats.data()), static_cast<std::streamsize>(floats.size() * sizeof(float)));
  file.close();
  if (!file) throw kann::Error(kann::ErrorKind::resources, path + ": cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Write a cloud as binary little-endian PLY");
  std::string kind, output;
  std::int64_t count = 0;
  std::uint64_t seed = 1;
  bool queries = false;
  app.add_option("kind", kind, "uniform, surface, clusters …")->required();
  app.add_option("points", count, "number of points")->required();
  app.add_option("output", output, "FILE.ply")->required();
  app.add_option("--seed", seed, "seed");
  app.add_flag("--queries", queries, "write the queries for the data of this seed");
  CLI11_PARSE(app, argc, argv);
  try {
    write_ply(output, kann::bench::make_cloud(kind, count, seed,
                                              queries ? kann::bench::Role::queries : kann::bench::Role::data));
    return 0;
  } catch (const kann::Error& e) {
    std::fprintf(stderr, "bench_make_cloud: error: %s\n", e.what());
    return e.exit_code();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_make_cloud: error: %s\n", e.what());
    return static_cast<int>(kann::ErrorKind::internal);
  }
}
