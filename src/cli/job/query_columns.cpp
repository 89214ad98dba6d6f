#include "cli/job/query_columns.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "cli/report/facts_of.hpp"
#include "formats/table/meanings.hpp"
#include "formats/table/value_range.hpp"

namespace kann::cli {
namespace {

/// Whether a cloud rounds values, if they are means.
bool are_rounded(const AttributeValues& values) {
  const auto* const means = std::get_if<Array<double>>(&values);
  return means && std::ranges::any_of(*means, [](double value) { return std::abs(std::fmod(value, 1)) > 0; });
}

/// How many of the values lie below or above the range by more than its width.
std::int64_t values_beyond(const formats::ValueRange& range, const Attribute& made) {
  const double width = range.most - range.least, least = range.least - width, most = range.most + width;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < made.size(); ++i) count += made.at(i) < least || made.at(i) > most;
  return count;
}

}  // namespace

QueryColumns::QueryColumns(const Options& options, const flow::AnswerBlocks& answer, const OutlierLimits& limits,
                           int threads, const std::optional<std::string>& folder, base::MemoryBudget* memory,
                           const ClusterLabels* labels)
    : options_(options),
      answer_(answer),
      threads_(threads),
      labels_(labels),
      features_(feature_columns(options.features)),
      store_(folder, memory) {
  describe();
  if (described_.empty() && features_.empty() && !options.outliers) return;
  if (!features_.empty()) facts_.features.emplace();
  const bool reads_points = !described_.empty() || !features_.empty();
  answer.for_each({.queries = reads_points, .data = reads_points}, [&](const flow::AnswerBlock& block) {
    std::vector<Attribute> columns = transfer_all(block);
    std::ranges::move(describe_neighborhoods(block), std::back_inserter(columns));
    if (options.outliers) {
      Array<std::uint8_t> flags = outlier_flags(block.neighbors, *options.outliers, limits, threads_);
      outliers_ += std::count(flags.begin(), flags.end(), std::uint8_t{1});
      columns.push_back({"outlier", std::move(flags)});  // after the others, where of_block() takes them from
    }
    store_.add(std::move(columns));
  });
  count_beyond();
  finish_facts(limits);
}

void QueryColumns::describe() {
  for (const TransferSource& from : transferred_attributes(options_, answer_.described_data())) {
    const auto [asked, is_for_others] = asked_method(options_.transfer_by, options_.transfer[from.name], from.name);
    described_.push_back({is_for_others ? transfer_method(*from.attribute, asked) : asked, asked, from});
  }
}

/// Transfers adjacent attributes with the same method in one run: rbf solves one system for all of a run.
std::vector<Attribute> QueryColumns::transfer_all(const flow::AnswerBlock& block) {
  const std::vector<Transferred>& all = described_;
  std::vector<Attribute> columns;
  std::int64_t without_neighbors = 0, singular = 0, by_distance = 0;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    for (end = begin + 1; end < all.size() && all[end].method == all[begin].method; ++end)
      if (all[end].from.attribute != all[end - 1].from.attribute + 1) break;
    const auto first = static_cast<std::size_t>(all[begin].from.attribute - answer_.described_data().attributes.data());
    TransferResult result = transfer(block.data.points, block.queries.points, block.neighbors,
                                     std::span(block.data.attributes).subspan(first, end - begin),
                                     {.method = all[begin].method,
                                      .rbf = options_.rbf.value_or(RbfOptions()),
                                      .periodic = options_.search.periodic,
                                      .device = options_.search.device,
                                      .threads = threads_});
    std::ranges::move(result.attributes, std::back_inserter(columns));
    without_neighbors = result.without_neighbors;
    singular = std::max(singular, result.singular);
    by_distance = std::max(by_distance, result.by_distance);
    facts_.nan_values += result.nan_values;
  }
  facts_.without_neighbors += without_neighbors;
  facts_.singular += singular;
  facts_.by_distance += by_distance;
  return columns;
}

/// A point that is not in its own row is still one of its neighbourhood, unless neighbours are those of other groups.
std::vector<Attribute> QueryColumns::describe_neighborhoods(const flow::AnswerBlock& block) {
  if (features_.empty()) return {};
  const bool is_among_others = options_.group && options_.group_rule == GroupRule::other;
  FeatureResult result =
      kann::features(block.data.points, block.queries.points, block.neighbors,
                     {.features = options_.features,
                      .orientation = options_.orient.value_or(NormalOrientation()),
                      .with_query = options_.self_query() && !options_.search.include_self && !is_among_others,
                      .radius = options_.density_ball(3).radius,
                      .periodic = options_.search.periodic,
                      .threads = threads_});
  facts_.features->too_few += result.too_few;
  facts_.features->undetermined += result.undetermined;
  return std::move(result.attributes);
}

BlockColumns QueryColumns::of_block(std::int64_t number) const {
  const std::span<const Attribute> columns = store_.block(number);
  BlockColumns out;
  if (columns.empty()) return out;
  out.transferred = columns.first(described_.size());
  out.features = columns.subspan(described_.size(), features_.size());
  if (has_outliers()) out.is_outlier = &std::get<Array<std::uint8_t>>(columns.back().values);
  return out;
}

/// Interpolated values that are far outside of those of the data hint at a kernel that does not suit them.
void QueryColumns::count_beyond() {
  std::vector<formats::ValueRange> ranges(described_.size());
  const auto is_interpolated = [](const Transferred& t) { return t.method == TransferMethod::rbf; };
  if (std::ranges::none_of(described_, is_interpolated)) return;
  const Attribute* const first = answer_.described_data().attributes.data();
  answer_.for_each_of_data([&](const Cloud& data) {
    for (std::size_t i = 0; i < described_.size(); ++i)
      if (is_interpolated(described_[i]))
        ranges[i].add(data.attributes[static_cast<std::size_t>(described_[i].from.attribute - first)]);
  });
  std::vector<std::int64_t> beyond(described_.size());
  for (std::int64_t block = 0; block < answer_.blocks(); ++block) {
    const BlockColumns made = of_block(block);
    for (std::size_t i = 0; i < described_.size(); ++i)
      if (is_interpolated(described_[i])) beyond[i] += values_beyond(ranges[i], made.transferred[i]);
  }
  for (std::size_t i = 0; i < described_.size(); ++i)
    if (beyond[i] > 0) facts_.beyond.push_back({described_[i].name(), beyond[i]});
}

void QueryColumns::finish_facts(const OutlierLimits& limits) {
  for (std::size_t i = 0; i < described_.size(); ++i) {
    const Transferred& t = described_[i];
    facts_.transferred.push_back({t.name(), t.method});
    if (t.is_voted() && t.asked != t.method)
      facts_.voted_instead.push_back(
          {t.name(), options_.transfer[t.from.name], t.asked, t.from.attribute->texts != nullptr});
    const bool may_round = options_.cloud_format && options_.cloud_format != CloudFormat::csv;
    // Nobody expects fractions of a colour
    const bool is_asked = may_round && t.from.attribute->is_whole() && !formats::is_colour(t.from.attribute->meaning);
    bool is_rounded = false;
    for (std::int64_t block = 0; is_asked && !is_rounded && block < answer_.blocks(); ++block)
      is_rounded = are_rounded(of_block(block).transferred[i].values);
    if (is_rounded) facts_.rounded.push_back(t.name());
  }
  if (options_.outliers)
    facts_.outliers = {*options_.outliers, limits.mean, limits.deviation, limits.threshold, outliers_};
}

std::vector<std::string> warnings_of(const Options& options, const ColumnFacts& facts, std::int64_t queries) {
  std::vector<std::string> lines;
  for (const auto& [name, given_name, asked, is_text] : facts.voted_instead)
    lines.push_back(
        is_text ? fmt::format("{} is text, so queries get the most frequent one", name)
                : fmt::format("{} has whole numbers, so queries get the most frequent one; --by {}={} {} it", name,
                              given_name, word_of(asked), asked == TransferMethod::rbf ? "interpolates" : "averages"));
  for (const std::string& name : facts.rounded)
    lines.push_back(
        fmt::format("{} has whole numbers, to which its means are rounded; .npz and cloud-csv keep them", name));
  if (facts.without_neighbors > 0 && options.join.value_or(Join::left) == Join::left)
    lines.push_back(fmt::format(
        "{} of {} queries have no neighbour; what they get is NaN, or 0 in whole numbers{}", facts.without_neighbors,
        queries, options.cloud_format && !options.drop_outliers ? "; --join inner leaves them out" : ""));
  if (const std::int64_t reduced = facts.singular - facts.by_distance; reduced > 0)
    lines.push_back(
        fmt::format("--by rbf: {} of {} queries have neighbours that do not determine the polynomial (too "
                    "few, on a line or a plane); theirs has a lower degree",
                    reduced, queries));
  if (facts.by_distance > 0)
    lines.push_back(
        fmt::format("--by rbf: {} of {} queries have a system that is singular, as the kernel is the same "
                    "at several neighbours; their values are those of idw",
                    facts.by_distance, queries));
  for (const auto& [name, values] : facts.beyond)
    lines.push_back(
        fmt::format("--by rbf: {} of {} values of {} lie outside the range of the data's values by more than its "
                    "width; try --rbf smoothing=1, another epsilon or --by idw",
                    values, queries, name));
  if (facts.features && facts.features->too_few > 0)
    lines.push_back(fmt::format(
        "--features: {} of {} queries have fewer than 3 points in their neighbourhood; their features are NaN{}",
        facts.features->too_few, queries, options.search.radius ? "; take a larger --radius" : ""));
  const bool has_normals = std::ranges::any_of(
      options.features, [](Feature f) { return f == Feature::normals || f == Feature::verticality; });
  if (facts.features && has_normals && facts.features->undetermined > 0)
    lines.push_back(
        fmt::format("--features: {} of {} queries have neighbours that determine no normal (on a line, at "
                    "one place, or spread alike in two directions); theirs is NaN",
                    facts.features->undetermined, queries));
  if (facts.nan_values > 0)
    lines.push_back(fmt::format("{} values of neighbours are NaN or infinite; they are left out", facts.nan_values));
  return lines;
}

}  // namespace kann::cli
