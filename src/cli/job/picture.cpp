#include "cli/job/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kann/outliers.hpp"

#include "base/counted.hpp"
#include "cli/asked/wanted_attributes.hpp"
#include "cli/job/sky_plane.hpp"
#include "cli/report/summary.hpp"
#include "formats/table/value_range.hpp"

namespace kann::cli {
namespace {

constexpr std::array<std::string_view, 3> k_channels = {"red", "green", "blue"};

/// @param of the attribute that has the values, of which some may be missing
Array<float> as_floats(const auto& values, double offset = 0, const Attribute* of = nullptr) {
  Array<float> out(values.size());
  std::ranges::transform(values, out.begin(), [&](auto value) {
    return of && of->is_missing(value) ? std::numeric_limits<float>::quiet_NaN()
                                       : static_cast<float>(static_cast<double>(value) - offset);
  });
  return out;
}

constexpr int k_cluster_colors = 11;
constexpr std::uint32_t k_red = 0xd0341c, k_pale = 0xa9bac6, k_grey = 0x6f767d, k_faint = 0xc6cbd0;

/// The classes of labels: as many as there are colours, in turn, and noise.
Array<float> in_turn(const auto& labels) {
  Array<float> out(labels.size());
  std::ranges::transform(labels, out.begin(), [](auto label) {
    return static_cast<float>(std::fmod(static_cast<double>(label), k_cluster_colors));
  });
  return out;
}

/// What has to be known of all values of an attribute, or of three channels, before the first one is drawn.
class ValueFacts {
 public:
  void add(const Attribute& attribute) { range_.add(attribute); }

  bool are_whole() const { return !range_.are_floats; }

  /// What to subtract from the values: the smallest one if float32 does not tell them apart, as with GPS times; else 0.
  double offset() const {
    constexpr double apart = 0x1p-8;
    const double least = range_.least, most = range_.most;
    const bool are_close = least <= most && most - least < apart * std::max(std::abs(least), std::abs(most));
    return are_close ? least : 0;
  }

  /// The value of a full channel; values beyond it are cut.
  double full_scale() const {
    formats::ValueRange cut = range_;
    cut.least = 0;
    cut.most = std::min(cut.most, 65535.0);
    return formats::full_scale(cut).value();
  }

 private:
  formats::ValueRange range_;
};

Array<std::uint8_t> bytes_of(std::span<const Attribute* const> channels, std::int64_t points, double full_scale) {
  const double scale = 255 / full_scale;
  Array<std::uint8_t> bytes(static_cast<std::size_t>(3 * points));
  for (std::size_t c = 0; c < 3; ++c)
    std::visit(
        [&](const auto& values) {
          for (std::size_t i = 0; i < values.size(); ++i) {
            bytes[3 * i + c] = formats::nearest_of<std::uint8_t>(static_cast<double>(values[i]) * scale);
          }
        },
        channels[c]->values);
  return bytes;
}

/// The name in the ASCII characters that a picture can show.
std::string label_of(std::string_view name) {
  std::string label;
  for (const char c : name)
    if ((c & 0xc0) != 0x80) label += c >= ' ' && c <= '~' ? c : '?';  // other bytes go on with a character
  return label;
}

class Picture {
 public:
  Picture(const Options& options, const flow::Found& found, const ComputedColumns& columns, const Report& report,
          int threads)
      : options_(options),
        report_(report),
        found_(found),
        columns_(columns),
        threads_(threads),
        by_(shown_in_picture(options)),
        has_own_(!own_attributes_of_picture(options, found.described_queries()).empty()),
        shown_(shown_columns()) {
    const PictureSize size = options.picture_size.value_or(PictureSize());
    how_.view = options.view.value_or(View());
    how_.width = size.width;
    how_.height = size.height;
    how_.scale = options.color_scale.value_or(ColorScale::automatic);
    how_.range = options.color_range;
    how_.threads = threads;
  }

  RenderResult draw() {
    const auto for_each = [&](const auto& sink) {
      found_.for_each({.queries = true}, [&](const flow::FoundBlock& block) { sink(block.queries.points); });
    };
    if (options_.search.sky) plane_.emplace(for_each, *options_.search.sky);
    how_.unit = plane_ ? std::string(name_of(plane_->unit())) : label_of(report_.unit);
    const std::size_t shown =
        has_own_ ? own_attributes_of_picture(options_, found_.described_queries()).size() : shown_.size();
    if (shown == 0) return draw_found();
    found_.for_each({.queries = has_own_}, [&](const flow::FoundBlock& block) {
      for (const Attribute* const attribute : shown_in(block)) facts_.add(*attribute);
    });
    if (shown == k_channels.size())
      return render_rgb(blocks<std::uint8_t>([&](const flow::FoundBlock& block) {
                          return bytes_of(shown_in(block), block.queries.points.size(), facts_.full_scale());
                        }),
                        how_);
    how_.label = label_of(by_);
    how_.has_classes = facts_.are_whole();
    if (how_.scale != ColorScale::log) how_.offset = facts_.offset();
    return render(blocks<float>([&](const flow::FoundBlock& block) {
                    const Attribute& attribute = *shown_in(block).front();
                    return std::visit([&](const auto& values) { return as_floats(values, how_.offset, &attribute); },
                                      attribute.values);
                  }),
                  how_);
  }

 private:
  /// The attributes that the picture shows: own attributes of the queries, else those that were transferred under the
  /// given name, or as red, green and blue, or a feature. Three attributes are colours.
  std::vector<const Attribute*> shown_in(const flow::FoundBlock& block) {
    if (has_own_) return own_attributes_of_picture(options_, block.queries);
    std::vector<const Attribute*> shown;
    made_.clear();
    for (const auto* const column : shown_) made_.push_back(columns_.values(block, *column));
    for (const Attribute& column : made_) shown.push_back(&column);
    return shown;
  }

  /// The columns that the picture shows in the place of what was found.
  std::vector<const ComputedColumns::Column*> shown_columns() const {
    std::vector<const ComputedColumns::Column*> shown;
    const auto add = [&](std::string_view name) {
      for (const auto& column : columns_.all())
        if (column.from && options_.transfer[column.asked] == name) shown.push_back(&column);
    };
    if (shows_colors(options_))
      for (const std::string_view channel : k_channels) add(channel);
    else
      add(by_);
    const ComputedColumns::Column* const column = columns_.find(by_);
    if (shown.empty() && column && !is_found(by_)) shown.push_back(column);
    return shown;
  }

  static bool is_found(std::string_view name) {
    constexpr std::string_view found[] = {"distance", "mean_distance", "density", "outlier", "cluster"};
    return std::ranges::count(found, name) > 0;
  }

  /// The values of the column of that name.
  Array<float> values_of(std::string_view name, const flow::FoundBlock& block) const {
    return std::visit([](const auto& values) { return as_floats(values); },
                      columns_.values(block, *columns_.find(name)).values);
  }

  /// A picture of what was found.
  RenderResult draw_found() {
    using Block = flow::FoundBlock;
    how_.has_classes = by_ == "outlier" || by_ == "cluster";
    if (by_ == "outlier") {
      how_.class_looks = {{0, "kept", k_pale}, {1, "outliers", k_red, ClassPlace::over}};
      return draw_floats(outliers_label(), [&](const Block& block) { return values_of(by_, block); });
    }
    if (by_ == "cluster") {
      const std::int64_t clusters = report_.clusters->clusters;
      how_.class_looks = {{-1, "noise", k_faint, ClassPlace::behind}};
      if (report_.clusters->noise * 50 < found_.query_count())  // more would hide clusters
        how_.class_looks = {{-1, "noise", k_grey, ClassPlace::over}};
      if (clusters > k_cluster_colors)
        for (int color = 0; color < k_cluster_colors; ++color)
          how_.class_looks.push_back({static_cast<float>(color), "", {}});
      return draw_floats(base::counted(clusters, "cluster") + (clusters > k_cluster_colors ? " in 11 colours" : ""),
                         [&](const Block& block) {
                           return std::visit([](const auto& labels) { return in_turn(labels); },
                                             columns_.values(block, *columns_.find(by_)).values);
                         });
    }
    if (by_ == "density")
      return draw_floats("points per " + density_unit(report_),
                         [&](const Block& block) { return values_of(by_, block); });
    const bool is_mean = by_ == "mean_distance";
    const std::string k = options_.all_neighbors ? "all" : std::to_string(options_.search.k);
    return draw_floats(
        with_unit(is_mean ? "mean distance to " + k + " neighbours" : "distance to the nearest neighbour"),
        [&](const Block& block) { return values_of(is_mean ? "mean_distance" : "nn_distance", block); });
  }

  /// E.g. "mean distance to 8 neighbours > 0.31 m".
  std::string outliers_label() const {
    const ColumnFacts::Outliers& o = *report_.columns->outliers;
    if (std::isnan(o.threshold)) return "outliers";
    return fmt::format("outliers: mean distance to {} > {:.4g}{}{}", base::counted(o.options.k, "neighbour"),
                       o.threshold, report_.unit.empty() ? "" : " ", report_.unit);
  }

  template <class ValuesOf>
  RenderResult draw_floats(const std::string& label, ValuesOf values_of) {
    how_.label = label_of(label);
    return render(blocks<float>(values_of), how_);
  }

  std::string with_unit(const std::string& distance) const {
    return report_.unit.empty() ? distance : distance + " (" + report_.unit + ")";
  }

  /// The queries with what gives their colours: values_of(block) makes an Array<T>. That of an only block is kept from
  /// pass to pass.
  template <class T, class ValuesOf>
  RenderBlocks<T> blocks(ValuesOf values_of) const {
    const auto kept = std::make_shared<std::optional<Array<T>>>();
    return {found_.query_count(), found_.described_queries().points.dimensions,
            [this, values_of, kept](const typename RenderBlocks<T>::Sink& sink) {
              found_.for_each({.queries = true}, [&](const flow::FoundBlock& block) {
                if (!*kept || block.rows.count < found_.query_count()) {
                  *kept = values_of(block);
                  if constexpr (std::is_floating_point_v<T>)  // classes and colours are of points that are drawn
                    for (std::int64_t i = 0; i < block.rows.count; ++i)
                      if (!PointsView(block.queries.points).is_finite(i))
                        (**kept)[static_cast<std::size_t>(i)] = std::numeric_limits<T>::quiet_NaN();
                }
                const std::span<const T> colors(**kept);
                if (!plane_) return sink(block.queries.points, colors);
                const Array<double> coordinates = (*plane_)(block.queries.points);
                sink({2, std::span<const double>(coordinates)}, colors);
              });
            }};
  }

  const Options& options_;
  const Report& report_;
  const flow::Found& found_;
  const ComputedColumns& columns_;
  const int threads_;
  const std::string by_;
  const bool has_own_;
  const std::vector<const ComputedColumns::Column*> shown_;
  std::vector<Attribute> made_;
  RenderOptions how_;
  std::optional<SkyPlane> plane_;
  ValueFacts facts_;
};

}  // namespace

RenderResult draw_picture(const Options& options, const flow::Found& found, const ComputedColumns& columns,
                          const Report& report, int threads) {
  return Picture(options, found, columns, report, threads).draw();
}

}  // namespace kann::cli
