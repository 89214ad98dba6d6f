// --device: one device, several, and what is refused.
#include "options_fixture.hpp"

namespace kann::cli {
namespace {

TEST_F(OptionsTest, SeveralDevicesAreNamedInTheirOrder) {
  const auto device = [&](const char* text) { return parse({"--data", "a.ply", "--device", text}).search.device; };
  const DeviceChoice two = device("cuda:2,0");
  EXPECT_EQ(two.kind, DeviceKind::cuda);
  EXPECT_EQ(two.index, 2);
  EXPECT_EQ(two.others, std::vector<int>{0});
  EXPECT_FALSE(two.all);
  EXPECT_EQ(device("cuda:0,1,2,3").others, (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(device("cuda:all").all);
  EXPECT_EQ(device("cuda:all").kind, DeviceKind::cuda);
  EXPECT_TRUE(device("cuda").others.empty());
  EXPECT_FALSE(device("cuda").all);
}

TEST_F(OptionsTest, OtherDevicesAreRefused) {
  for (const std::string text : {"gpu", "cuda:", "cuda:-1", "cuda:1x", "cuda:0,", "cuda:,1", "cuda:0,,1", "cuda:0, 1",
                                 "cuda:all,1", "cuda:1,all", "cuda0", "cpu,cuda:0"})
    EXPECT_EQ(message({"--data", "a.ply", "--device", text.c_str()}),
              "--device expects auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all, got '" + text + "'");
  EXPECT_EQ(message({"--data", "a.ply", "--device", "cuda:0,1,0"}),
            "--device expects each CUDA device once, got 'cuda:0,1,0'");
  EXPECT_EQ(message({"--data", "a.ply", "--device", "cuda:0,0"}),
            "--device expects each CUDA device once, got 'cuda:0,0'");
  EXPECT_EQ(message({"--data", "a.ply", "--device", "cuda:0,256"}),
            "--device cuda:N expects a whole number from 0 to 255, got '256'");
}

TEST_F(OptionsTest, TheVariableNamesSeveralDevices) {
  setenv("KANN_DEVICE", "cuda:1,3", 1);
  const DeviceChoice device = parse({"--data", "a.ply"}).search.device;
  EXPECT_EQ(device.index, 1);
  EXPECT_EQ(device.others, std::vector<int>{3});
  setenv("KANN_DEVICE", "cuda:1,", 1);
  EXPECT_EQ(message({"--data", "a.ply"}),
            "KANN_DEVICE expects auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all, got 'cuda:1,'");
}

}  // namespace
}  // namespace kann::cli
