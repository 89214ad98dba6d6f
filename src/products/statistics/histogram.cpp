#include "kann/histogram.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

#include "products/statistics/row_values.hpp"

namespace kann {
namespace {

constexpr int k_bars = 60;
constexpr double k_width = 720, k_height = 420, k_left = 74, k_right = 24, k_top = 90, k_bottom = 54;
constexpr double k_plot_width = k_width - k_left - k_right, k_plot_height = k_height - k_top - k_bottom;
constexpr double k_baseline = k_height - k_bottom;

/// The smallest of 1, 2, 2.5, 5 and 10 times a power of ten that is at least `x` > 0.
double nice_step(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (factor * power >= x) return factor * power;
  return 10 * power;
}

/// Ticks from 0 on, `step` apart, and the end of the axis: the first that is at least `limit`.
struct Axis {
  double step, end;
  int ticks;

  explicit Axis(double limit, double least_step = 0) {
    step = std::max(nice_step(limit / 6), least_step);
    ticks = static_cast<int>(std::ceil(limit / step * (1 - 1e-12)));
    end = step * ticks;
  }
};

/// The end of the bars: p99, or the largest distance if that is not much more.
double limit_of(const RankStatistics& nearest) {
  const double limit = nearest.max <= 1.5 * nearest.p99 ? nearest.max : nearest.p99;
  return limit > 0 && std::isfinite(limit) ? limit : 1;
}

/// Text in which no character has a meaning in XML.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else
      c == '<' ? out += "&lt;" : out += c;
  }
  return out;
}

class Svg {
 public:
  Svg() {
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222\">\n"
        "<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"#fff\"/>\n",
        k_width, k_height);
  }

  void text(double x, double y, const char* anchor, const std::string& words, const char* more = "") {
    text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more, words);
  }
  void line(double x1, double y1, double x2, double y2, const char* style) {
    text_ += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" {}/>\n", x1, y1, x2, y2, style);
  }
  void bar(double x, double width, double height) {
    text_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"#3a6ea5\"/>\n", x,
                         k_baseline - height, width, height);
  }
  std::string end() { return text_ + "</svg>\n"; }

 private:
  std::string text_;
};

struct Counts {
  std::array<std::int64_t, k_bars> bars{};
  std::int64_t beyond = 0;
};

void count(const Rows& rows, double end, Counts& out) {
  for (std::int64_t query = 0; query < rows.count; ++query) {
    const auto [begin, end_of_row] = rows.row(query);
    if (begin == end_of_row) continue;
    const float distance = rows.distances[begin];
    const double bar = distance / end * k_bars;
    if (distance > end)
      ++out.beyond;
    else
      ++out.bars[static_cast<std::size_t>(std::min<double>(bar, k_bars - 1))];
  }
}

double x_of(double distance, const Axis& axis) { return k_left + distance / axis.end * k_plot_width; }

void draw_mark(Svg& svg, const Axis& axis, double distance, const std::string& words) {
  if (!(distance <= axis.end)) return;
  const double x = x_of(distance, axis);
  svg.line(x, k_top - 4, x, k_baseline, "stroke=\"#222\" stroke-dasharray=\"4 3\" fill=\"none\"");
  svg.text(x, k_top - 9, "middle", words, " font-size=\"12\"");
}

std::string subtitle(const RankStatistics& nearest, const Counts& counts, const Axis& axis, std::int64_t empty) {
  std::string words =
      fmt::format("{} queries, mean {:.4g}, maximum {:.4g}", nearest.queries, nearest.mean, nearest.max);
  if (counts.beyond > 0) words += fmt::format("; {} beyond {:g}", counts.beyond, axis.end);
  if (empty > 0) words += fmt::format("; {} without a neighbour", empty);
  return words;
}

}  // namespace

std::string histogram_svg(const RowBlocks& rows, const DistanceStatistics& of_all, std::string_view quality) {
  Svg svg;
  constexpr const char* soft = " fill=\"#555\"";
  svg.text(k_left, 22, "start", "Distance to the nearest neighbour", " font-size=\"16\" font-weight=\"bold\"");
  svg.text(k_left, 40, "start", escaped(quality), soft);
  if (of_all.ranks.empty() || of_all.ranks[0].queries == 0) {
    svg.text(k_left, 57, "start", fmt::format("{} queries, none with a neighbour", rows.queries));
    return svg.end();
  }
  const RankStatistics& nearest = of_all.ranks[0];
  const Axis x(limit_of(nearest));
  Counts counts;
  statistics::for_each_block(rows, [&](const Rows& some) { count(some, x.end, counts); });
  const Axis y(static_cast<double>(std::max<std::int64_t>(1, *std::ranges::max_element(counts.bars))), 1);
  svg.text(k_left, 57, "start", subtitle(nearest, counts, x, of_all.empty_rows), soft);

  for (int tick = 0; tick <= y.ticks; ++tick) {
    const double level = k_baseline - k_plot_height * tick / y.ticks;
    svg.line(k_left, level, k_width - k_right, level, "stroke=\"#ddd\" fill=\"none\"");
    svg.text(k_left - 8, level + 4.5, "end", fmt::format("{:.6g}", y.step * tick));
  }
  for (int i = 0; i < k_bars; ++i)
    if (const std::int64_t high = counts.bars[static_cast<std::size_t>(i)]; high > 0)
      svg.bar(k_left + k_plot_width * i / k_bars + .5, k_plot_width / k_bars - 1,
              std::max(.5, static_cast<double>(high) / y.end * k_plot_height));
  svg.line(k_left, k_baseline, k_width - k_right, k_baseline, "stroke=\"#222\" fill=\"none\"");
  for (int tick = 0; tick <= x.ticks; ++tick) {
    const double at = x_of(x.step * tick, x);
    svg.line(at, k_baseline, at, k_baseline + 5, "stroke=\"#222\" fill=\"none\"");
    svg.text(at, k_baseline + 20, "middle", fmt::format("{:.6g}", x.step * tick));
  }
  svg.text(k_left + k_plot_width / 2, k_height - 12, "middle", "distance");
  draw_mark(svg, x, nearest.median, fmt::format("median {:.4g}", nearest.median));
  if (nearest.p95 - nearest.median > x.end / 5) draw_mark(svg, x, nearest.p95, fmt::format("95 % {:.4g}", nearest.p95));
  return svg.end();
}

std::string histogram_svg(const Neighbors& neighbors, const DistanceStatistics& statistics, std::string_view quality) {
  check_rows(neighbors, "histogram");
  return histogram_svg(one_block(neighbors), statistics, quality);
}

}  // namespace kann
