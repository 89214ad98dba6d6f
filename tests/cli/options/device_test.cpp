// --device: the one device of a search, and what is refused.
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

}  // namespace
}  // namespace kann::cli
