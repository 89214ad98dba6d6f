#include "cli/job/written_columns.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "formats/table/meanings.hpp"
#include "formats/table/value_range.hpp"

namespace kann::cli {
namespace {

bool has_neighbor(const Neighbors& n, std::int64_t row) {
  return n.k > 0 && n.ids[static_cast<std::size_t>(row * n.k)] != k_missing_id;
}

/// The values as float64; NaN for queries without a neighbour.
Array<double> as_float64(const AttributeValues& values, const Neighbors& neighbors) {
  return std::visit(
      [&](const auto& typed) {
        Array<double> out(typed.size());
        for (std::size_t i = 0; i < typed.size(); ++i)
          out[i] = has_neighbor(neighbors, static_cast<std::int64_t>(i)) ? static_cast<double>(typed[i])
                                                                         : std::numeric_limits<double>::quiet_NaN();
        return out;
      },
      values);
}

/// Converts float64 values to the type of `like`: for whole numbers, means are rounded and kept in the range of the
/// type, and NaN becomes what stands for a missing value. Means of bytes of colour keep their fractions `in_las`, which
/// has 16 bits for them.
AttributeValues as_type_of(const Attribute& like, const Array<double>& values, bool in_las) {
  if (in_las && formats::is_colour(like.meaning) && std::holds_alternative<Array<std::uint8_t>>(like.values)) {
    Array<std::uint16_t> wide(values.size());
    std::ranges::transform(values, wide.begin(),
                           [](double value) { return formats::nearest_of<std::uint16_t>(value * 257); });
    return wide;
  }
  return std::visit(
      [&]<class T>(const Array<T>&) -> AttributeValues {
        Array<T> out(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
          out[i] = std::isnan(values[i]) ? like.missing<T>() : formats::nearest_of<T>(values[i]);
        return out;
      },
      like.values);
}

/// The first neighbour's id or distance of each row, or the value that stands for a missing one.
template <class T>
Attribute first_of_rows(std::string name, const Neighbors& n, std::span<const T> values, T none) {
  Array<T> out(static_cast<std::size_t>(n.queries));
  for (std::int64_t q = 0; q < n.queries; ++q)
    out[static_cast<std::size_t>(q)] = n.k > 0 ? values[static_cast<std::size_t>(q * n.k)] : none;
  return {std::move(name), std::move(out), Meaning::found};
}

/// None, of the same type.
AttributeValues no_values_of(const AttributeValues& values) {
  return std::visit([](const auto& typed) { return AttributeValues(std::decay_t<decltype(typed)>()); }, values);
}

}  // namespace

std::vector<ColumnBlocks> npz_columns(const QueryColumns& computed, const flow::AnswerBlocks& answer) {
  std::vector<ColumnBlocks> columns;
  for (std::size_t i = 0; i < computed.transferred().size(); ++i) {
    const Transferred& t = computed.transferred()[i];
    columns.push_back({"attr_" + t.name(), t.keeps_type() ? no_values_of(t.from.attribute->values) : Array<double>(),
                       [&computed, &answer, &t, i](const auto& sink) {
                         answer.for_each({}, [&](const flow::AnswerBlock& block) {
                           const AttributeValues& values = computed.of_block(block.number).transferred[i].values;
                           t.keeps_type() ? sink(values) : sink(as_float64(values, block.neighbors));
                         });
                       }});
  }
  for (std::size_t i = 0; i < computed.features().size(); ++i)
    columns.push_back(
        {computed.features()[i].name, computed.features()[i].values, [&computed, &answer, i](const auto& sink) {
           for (std::int64_t block = 0; block < answer.blocks(); ++block)
             sink(computed.of_block(block).features[i].values);
         }});
  if (computed.has_outliers())
    columns.push_back({"outlier", Array<std::uint8_t>(), [&computed, &answer](const auto& sink) {
                         for (std::int64_t block = 0; block < answer.blocks(); ++block)
                           sink(*computed.of_block(block).is_outlier);
                       }});
  return columns;
}

std::vector<Attribute> cloud_columns(const QueryColumns& computed, const flow::AnswerBlock& block, int threads) {
  const Neighbors& n = block.neighbors;
  if (const ClusterLabels* const labels = computed.labels())
    return {{"cluster", labels->of(block.rows.first, n.queries), Meaning::found}};
  const BlockColumns made = computed.of_block(block.number);
  std::vector<Attribute> columns;
  columns.push_back(
      std::visit([&]<class Id>(std::span<const Id> ids) { return first_of_rows("nn_id", n, ids, Id{k_missing_id}); },
                 block.rows.ids));
  columns.push_back(first_of_rows("nn_distance", n, block.rows.distances, std::numeric_limits<float>::infinity()));
  if (!computed.options().has_one_neighbor()) {
    columns.push_back({"mean_distance", mean_distances(n, 0, threads), Meaning::found});
    const DensityBall ball = computed.options().density_ball(block.queries.points.dimensions);
    columns.push_back({"density", densities(n, ball, threads), Meaning::found});
  }
  if (made.is_outlier) columns.push_back({"outlier", *made.is_outlier, Meaning::found});
  std::ranges::copy_if(made.features, std::back_inserter(columns),
                       [](const Attribute& feature) { return feature.name != "density"; });  // that is there
  const CloudFormat format = computed.options().cloud_format.value();
  for (std::size_t i = 0; i < made.transferred.size(); ++i) {
    const Attribute &t = made.transferred[i], &from = *computed.transferred()[i].from.attribute;
    const auto* const means = std::get_if<Array<double>>(&t.values);
    const bool is_converted = means && format != CloudFormat::csv;
    columns.push_back(is_converted ? t.with(as_type_of(from, *means, has_las_records(format))) : t);
  }
  return columns;
}

}  // namespace kann::cli
