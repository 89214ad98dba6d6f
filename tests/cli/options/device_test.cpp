// --device: the one device of a search, what is refused, and the program that has the CUDA code.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "kann/device.hpp"
#include "kann/search.hpp"

#include "../run_kann.hpp"
#include "options_fixture.hpp"

namespace kann::cli {
namespace {

TEST_F(OptionsTest, ADeviceIsNamedByItsNumber) {
  const auto parsed = [&](const char* text) { return parse({"--data", "a.ply", "--device", text}); };
  for (const auto& [text, number] : {std::pair{"cuda:2", 2}, {"cuda:0", 0}, {"cuda:255", 255}}) {
    const Options options = parsed(text);
    EXPECT_EQ(options.search.device.kind, DeviceKind::cuda);
    EXPECT_EQ(options.search.device.index, number);
    EXPECT_TRUE(options.device_has_number);
  }
  for (const char* const text : {"auto", "cpu", "cuda"}) EXPECT_FALSE(parsed(text).device_has_number) << text;
}

TEST_F(OptionsTest, OtherDevicesAreRefused) {
  for (const std::string text : {"gpu", "cuda:", "cuda:-1", "cuda:1x", "cuda:0,", "cuda:0,1", "cuda:all", "cuda0"})
    EXPECT_EQ(message({"--data", "a.ply", "--device", text.c_str()}),
              "--device expects auto, cpu, cuda or cuda:N, got '" + text + "'");
  EXPECT_EQ(message({"--data", "a.ply", "--device", "cuda:256"}),
            "--device cuda:N expects a whole number from 0 to 255, got '256'");
}

TEST_F(OptionsTest, TheVariableNamesADevice) {
  setenv("KANN_DEVICE", "cuda:3", 1);
  EXPECT_EQ(parse({"--data", "a.ply"}).search.device.index, 3);
  setenv("KANN_DEVICE", "cuda:1,", 1);
  EXPECT_EQ(message({"--data", "a.ply"}), "KANN_DEVICE expects auto, cpu, cuda or cuda:N, got 'cuda:1,'");
}

using ProgramWithCuda = test::ProgramTest;

/// As pip puts them: the one of the package kann-cuda13 beside the one of kann.
TEST_F(ProgramWithCuda, IsTheOneBesideAProgramWithoutOfTheSameVersion) {
  namespace fs = std::filesystem;
  fs::copy_file(KANN_PROGRAM, path("kann"));
  const auto out = [&] {
    EXPECT_EQ(std::system(("cd '" + path("").string() + "' && ./kann info -h '$x' >out").c_str()), 0);
    return read_file("out");
  };
  const std::string help = out();
  EXPECT_NE(help.find("kann info"), std::string::npos);
  const std::string name = "kann-" + std::string(version()) + "-cuda13", text = "#!/bin/sh\necho \"$*\"\n";
  write_file("kann-0-cuda13", text);
  write_file(name, text);
  fs::permissions(path("kann-0-cuda13"), fs::perms::all);
  EXPECT_EQ(out(), help) << "another version, and one that may not be executed";
  fs::permissions(path(name), fs::perms::all);
  EXPECT_EQ(out(), cuda_status().reason == "built without CUDA" ? "info -h $x\n" : help);
}

}  // namespace
}  // namespace kann::cli
