#include "papers/sobel/measure_sobel.hpp"

#include <fmt/format.h>
#include <optional>

#include "common/table.hpp"
#include "papers/device_timing.hpp"
#include "papers/published.hpp"
#include "papers/sobel/sobel_case.hpp"

namespace kann::bench {
namespace {

constexpr int k_batch = 20;  // calls between two events

template <class Pixel>
void check_ways(SobelCase<Pixel>& sobel, const std::string& size, Report& report) {
  for (const SobelWay<Pixel>& way : sobel_ways<Pixel>())
    report.check(fmt::format("Sobel of {} {}, {}, {}: each pixel is the host's", size, pixels_name<Pixel>(),
                             name_of(way.memory), name_of(way.step)),
                 sobel.is_right(way));
}

/// The time of Table 5, or of Table 4 for the ways that only that has.
std::optional<double> published_ms(SobelMemory memory, SobelStep step) {
  if (step > SobelStep::unrolled) return std::nullopt;
  const SobelTable5Row& row = k_sobel_table_5[static_cast<std::size_t>(step)];
  switch (memory) {
    case SobelMemory::global:
      return row.global_ms;
    case SobelMemory::texture:
      return row.texture_ms;
    case SobelMemory::shared_4:
      return row.shared_ms;
    default:
      break;
  }
  if (step != SobelStep::constant) return std::nullopt;
  return k_sobel_table_4_ms[static_cast<std::size_t>(memory) - static_cast<std::size_t>(SobelMemory::shared_1)];
}

/// The record of one way, and its row of the table. `bytes` are what it has to read and write.
template <class Pixel>
void add(Report& report, const Table& table, const std::string& what, const std::string& step, const Spread& spread,
         double bytes, const Spread& copy, std::optional<double> published) {
  Json record = {{"what", what},
                 {"step", step},
                 {"pixels", pixels_name<Pixel>()},
                 {"width", k_sobel_width},
                 {"height", k_sobel_height},
                 {"ms", ms_json(spread)},
                 {"tb_per_s", bytes / spread.best * 1e-12},
                 {"copy_ms", ms_json(copy)}};
  record["published_ms"] = published ? Json(*published) : Json(nullptr);
  report.add(std::move(record));
  table.row({what, step, ms_text(spread.best), ms_text(spread.median), number_text(spread.best / copy.best, 2),
             number_text(published, 3)});
}

void measure_vendor(SobelCase<std::uint8_t>& sobel, const Program& program, const Table& table, const Spread& copy,
                    Report& report) {
  const auto vendor = make_vendor_sobel(sobel.stream());
  if (!vendor) return report.skip("NPP", "the build found none");
  const cuda::Buffer<std::int16_t> out(sobel.pool(), sobel.pixels());
  const auto launch = [&] { vendor->launch(sobel.image().d_in, out.data(), k_sobel_width, k_sobel_height); };
  launch();
  const std::vector<std::int16_t> result = downloaded(out, sobel.stream());
  bool is_right = true;
  for (std::size_t i = 0; i < result.size(); ++i) is_right = is_right && 4 * result[i] == sobel.host_result()[i];
  report.check("NPP's Sobel magnitude: each pixel is the host's", is_right);
  add<std::uint8_t>(report, table, "NPP, 16-bit results", "",
                    time_on_device(sobel.stream(), program.repeat, k_batch, launch),
                    3.0 * static_cast<double>(sobel.pixels()), copy, std::nullopt);
}

template <class Pixel>
void measure_pixels(const Program& program, Report& report) {
  SobelCase<Pixel> sobel(k_sobel_width, k_sobel_height, program.seed);
  check_ways(sobel, fmt::format("{} × {}", k_sobel_width, k_sobel_height), report);
  const SobelImage<Pixel> image = sobel.image();
  const double bytes = 2.0 * static_cast<double>(sobel.pixels()) * sizeof(Pixel);
  const Spread copy = time_on_device(sobel.stream(), program.repeat, k_batch, [&] {
    cuda::check(cudaMemcpyAsync(image.d_out, image.d_in, static_cast<std::size_t>(bytes / 2), cudaMemcpyDeviceToDevice,
                                sobel.stream()),
                "copy");
  });
  const Table table(report.text(),
                    fmt::format("Tables 4 and 5, Sobel of {} × {} {}, ms; published: GTX 280", k_sobel_width,
                                k_sobel_height, pixels_name<Pixel>()),
                    20, {"memory", "                    step", "best", "median", "/ copy", "published"});
  add<Pixel>(report, table, "copy", "", copy, bytes, copy, std::nullopt);
  for (const SobelWay<Pixel>& way : sobel_ways<Pixel>()) {
    const Spread spread =
        time_on_device(sobel.stream(), program.repeat, k_batch, [&] { way.launch(image, sobel.stream()); });
    add<Pixel>(report, table, name_of(way.memory), name_of(way.step), spread, bytes, copy,
               published_ms(way.memory, way.step));
  }
  if constexpr (sizeof(Pixel) == 1) measure_vendor(sobel, program, table, copy, report);
}

}  // namespace

void check_sobel(const Program& program, Report& report) {
  constexpr int sizes[][2] = {{1, 1},   {1, 9},   {9, 1},   {2, 2},   {15, 17},  {16, 16}, {17, 15},  {125, 3},
                              {126, 4}, {127, 5}, {128, 8}, {129, 9}, {252, 31}, {253, 1}, {257, 33}, {500, 100}};
  for (const auto [width, height] : sizes) {
    SobelCase<std::uint8_t> bytes(width, height, program.seed);
    SobelCase<std::uint32_t> words(width, height, program.seed);
    const std::string size = fmt::format("{} × {}", width, height);
    check_ways(bytes, size, report);
    check_ways(words, size, report);
  }
}

void measure_sobel(const Program& program, Report& report) {
  if (program.wants("bytes")) measure_pixels<std::uint8_t>(program, report);
  if (program.wants("words")) measure_pixels<std::uint32_t>(program, report);
}

}  // namespace kann::bench
