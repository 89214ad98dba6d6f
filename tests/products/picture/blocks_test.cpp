// A cloud that comes in blocks gives the picture of the whole cloud, however it is divided.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kann/render.hpp"

#include "clouds.hpp"
#include "refusal.hpp"

namespace kann {
namespace {

/// The cloud in blocks of `size` points. Each is a copy that is gone when the sink returns.
template <class T>
RenderBlocks<T> in_blocks(const test::Coordinates& c, int d, const std::vector<T>& colors, std::int64_t size) {
  const std::int64_t n = std::ssize(c) / d, per_point = n > 0 ? std::ssize(colors) / n : 1;
  return {n, d, [=, &c, &colors](const typename RenderBlocks<T>::Sink& sink) {
            for (std::int64_t begin = 0; begin < n; begin += size) {
              const std::int64_t end = std::min(n, begin + size);
              const test::Coordinates points(c.begin() + begin * d, c.begin() + end * d);
              const std::vector<T> own(colors.begin() + begin * per_point, colors.begin() + end * per_point);
              sink(PointsView(d, std::span<const float>(points)), own);
            }
          }};
}

void expect_same(const RenderResult& whole, const RenderResult& blocks, const std::string& what) {
  EXPECT_TRUE(whole.image.rgb == blocks.image.rgb) << what;
  EXPECT_EQ(whole.drawn, blocks.drawn) << what;
  EXPECT_EQ(whole.outside, blocks.outside) << what;
  EXPECT_EQ(whole.left_out, blocks.left_out) << what;
}

struct Case {
  std::string name;
  float (*value)(std::int64_t i, std::int64_t n, float x);
  void (*change)(RenderOptions& options);
};

/// What a picture may show, with values of which some are not finite.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"values", [](auto, auto, float x) { return x; }, [](RenderOptions&) {}},
      {"log", [](auto i, auto, auto) { return std::ldexp(1.0f + static_cast<float>(i % 7), static_cast<int>(i % 19)); },
       [](RenderOptions& o) { o.scale = ColorScale::log; }},
      {"log of some", [](auto i, auto, auto) { return static_cast<float>(i % 29 - 3); },
       [](RenderOptions& o) {
         o.scale = ColorScale::log;
         o.range = {0.5, 20};
       }},
      // The range of the colours depends on the last value, or on the first
      {"last is far", [](auto i, auto n, auto) { return i == n - 1 ? 1e30f : 1.05f * static_cast<float>(i % 31); },
       [](RenderOptions&) {}},
      {"classes", [](auto i, auto n, auto) { return i == n - 1 ? -7.0f : static_cast<float>(i % 11); },
       [](RenderOptions& o) { o.has_classes = true; }},
      {"too many classes",
       [](auto i, auto n, auto) { return i == n - 1 ? -7
                                         : i == 0   ? 900
                                                    : 1.05f * static_cast<float>(i % 11); },
       [](RenderOptions& o) { o.has_classes = true; }},
      {"offset", [](auto i, auto, auto) { return static_cast<float>(i % 21); },
       [](RenderOptions& o) { o.offset = 3e8; }},
  };
  return all;
}

struct Ugly {
  test::Coordinates coordinates;
  std::vector<float> values;
  std::vector<std::uint8_t> colors;
};

Ugly ugly_cloud(const test::CloudKind& kind, const Case& shown, std::int64_t n, int d) {
  Ugly out{kind.make(n, d, 23), {}, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    const float value = shown.value(i, n, out.coordinates[i * d]);
    out.values.push_back(i % 53 == 5 ? NAN : i % 71 == 6 ? INFINITY : value);
    if (i % 37 == 3) out.coordinates[i * d + i % d] = i % 2 == 0 ? NAN : -INFINITY;
    for (int channel = 0; channel < 3; ++channel)
      out.colors.push_back(static_cast<std::uint8_t>(i * (channel + 5) % 251));
  }
  return out;
}

RenderOptions small(const Case& shown, int threads) {
  RenderOptions options;
  options.width = 96;
  options.height = 80;
  options.threads = threads;
  shown.change(options);
  return options;
}

TEST(RenderBlocks, AreThePictureOfTheWhole) {
  for (const test::CloudKind& kind : test::all_clouds())
    for (const Case& shown : cases())
      for (const std::int64_t n : {60, 1203}) {
        const int d = n == 60 ? 2 : 3, threads = shown.name.size() % 2 == 0 ? 1 : 3;
        const Ugly cloud = ugly_cloud(kind, shown, n, d);
        const PointsView points(d, std::span<const float>(cloud.coordinates));
        const RenderOptions options = small(shown, threads);
        const RenderResult whole = render(points, cloud.values, options);
        EXPECT_GT(whole.left_out, 0);
        for (const std::int64_t size : {n == 60 ? std::int64_t{1} : n, std::int64_t{7}, n - 1})
          expect_same(whole, render(in_blocks(cloud.coordinates, d, cloud.values, size), small(shown, 4 - threads)),
                      kind.name + ", " + shown.name + ", blocks of " + std::to_string(size));
      }
}

TEST(RenderBlocks, AreThePictureOfTheWholeInTheirOwnColors) {
  for (const test::CloudKind& kind : test::all_clouds())
    for (const int d : {2, 3}) {
      const Ugly cloud = ugly_cloud(kind, cases().front(), 2100, d);
      const PointsView points(d, std::span<const float>(cloud.coordinates));
      for (const View::Kind view : {View::Kind::automatic, View::Kind::top}) {
        RenderOptions options = small(cases().front(), 3);
        options.view.kind = view;
        const RenderResult whole = render_rgb(points, cloud.colors, options);
        for (const std::int64_t size : {7, 1000, 2099}) {
          options.threads = size == 7 ? 1 : 3;
          expect_same(whole, render_rgb(in_blocks(cloud.coordinates, d, cloud.colors, size), options),
                      kind.name + ", blocks of " + std::to_string(size));
        }
      }
    }
}

/// With more points than the sample has, and with so few that can be drawn that the sample is made in another way.
TEST(RenderBlocks, HaveTheSampleOfTheWhole) {
  for (const std::int64_t every : {1, 50, 500, 150000}) {
    test::Coordinates c = test::surface(200000, 3, 3);
    std::vector<float> values;
    for (std::int64_t i = 0; i < 200000; ++i) {
      if (i % every != every - 1) c[3 * i] = NAN;
      values.push_back(c[3 * i + 1]);
    }
    const PointsView points(3, std::span<const float>(c));
    const RenderOptions options = small(cases().front(), 2);
    const RenderResult whole = render(points, values, options);
    EXPECT_EQ(whole.drawn, 200000 / every);
    for (const std::int64_t size : {1000, 65537, 199999})
      expect_same(whole, render(in_blocks(c, 3, values, size), options), std::to_string(size));
  }
}

/// If points are at the same place, the first one is seen, whichever block it is in.
TEST(RenderBlocks, KeepTheFirstOfEqualPoints) {
  const test::Coordinates c(2 * 9, 1.0f);
  std::vector<std::uint8_t> colors(3 * 9, 10);
  colors[0] = 250;
  for (const std::int64_t size : {1, 4, 9}) {
    RenderOptions options = small(cases().front(), 1);
    const Image image = render_rgb(in_blocks(c, 2, colors, size), options).image;
    EXPECT_EQ(image.rgb[3 * (40 * 96 + 48)], 250) << size;
  }
}

TEST(RenderBlocks, MayBeEmpty) {
  const RenderOptions options = small(cases().front(), 2);
  for (const int d : {2, 3}) {
    const RenderResult whole = render(PointsView(d, std::span<const float>()), {}, options);
    expect_same(whole, render(RenderBlocks<float>{0, d, [](const auto&) {}}, options), "no block");
    const test::Coordinates c = test::uniform(10, d, 1);
    const std::vector<float> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    const RenderBlocks<float> with_empty = {10, d, [&](const auto& sink) {
                                              sink(PointsView(d, std::span<const float>()), {});
                                              for (std::size_t i = 0; i < 10; i += 5) {
                                                sink(PointsView(d, std::span(c).subspan(d * i, 5 * d)),
                                                     std::span(values).subspan(i, 5));
                                                sink(PointsView(d, std::span<const float>()), {});
                                              }
                                            }};
    expect_same(render(PointsView(d, std::span<const float>(c)), values, options), render(with_empty, options), "");
  }
}

TEST(RenderBlocks, AreRefusedIfTheyDoNotMatch) {
  const test::Coordinates c(12, 1.0f);
  const std::vector<float> values(6);
  const auto error_of = [&](const RenderBlocks<float>& cloud) {
    return test::refusal_of(ErrorKind::bad_input, [&] { render(cloud, small(cases().front(), 1)); });
  };
  const auto sends = [&](int d, std::size_t count) {
    return [&, d, count](const auto& sink) { sink(PointsView(d, std::span(c)), std::span(values).first(count)); };
  };
  EXPECT_EQ(error_of({4, 3, sends(3, 4)}), "");
  EXPECT_EQ(error_of({5, 3, sends(3, 4)}), "picture: blocks of 4 points, not 5");
  EXPECT_EQ(error_of({3, 3, sends(3, 4)}), "picture: blocks of 4 points, not 3");
  EXPECT_EQ(error_of({4, 3, sends(3, 3)}), "picture: 4 points do not match 3 values");
  EXPECT_EQ(error_of({6, 3, sends(2, 6)}), "picture: blocks of 2 and of 3 coordinates");
  EXPECT_EQ(error_of({6, 1, sends(2, 6)}), "picture: points of 1 coordinates");
}

}  // namespace
}  // namespace kann
