#include "cli/job/job.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include "kann/error.hpp"
#include "kann/pairs.hpp"

#include "base/counted.hpp"
#include "base/host_memory.hpp"
#include "base/scoped_timer.hpp"
#include "base/threads/parallel.hpp"
#include "cli/asked/wanted_attributes.hpp"
#include "cli/facts/read_json.hpp"
#include "cli/job/reference_meta.hpp"
#include "cli/options/output_path.hpp"
#include "cli/report/statistics_table.hpp"
#include "cli/report/summary.hpp"
#include "formats/neighbors/placed_rows.hpp"
#include "formats/neighbors/reference_file.hpp"
#include "problem/survey.hpp"
#include "products/accuracy/check_reference.hpp"
#include "search/search.hpp"
#include "search/search_radius.hpp"

namespace kann::cli {

void Job::read_clouds(std::shared_ptr<const LoadedData> earlier) {
  const bool judges = job_.ranks.rank() == 0;
  if (judges) checks_.open_reference();
  if (job_.options.max_memory) base::return_freed_memory();  // freed blocks took 7 MB beside 74, now and then
  clouds_.read(std::move(earlier));
  if (!job_.options.compare || !judges) return;
  if (!clouds_.are_in_files()) clouds_.identify();  // else the hashes are known after the search
  checks_.check_reference();
}

void Job::search(const StartUp& start_up, bool by_index) {
  if (!clouds_.are_in_files()) clouds_.make_cells(search_options_.threads);
  job_.phase("search");
  search_options_.start_up = start_up;
  if (job_.options.cluster) {
    search_clusters();
  } else if (job_.options.all_neighbors) {
    clouds_.are_in_files() ? search_lists_in_files() : search_lists();
  } else {
    clouds_.are_in_files() ? search_files() : search_in_memory(by_index);
  }
  count_left_out();
  job_.warn(job_.report.search->warnings);
}

/// Lets the report tell points that a condition leaves out from those that are skipped as invalid.
void Job::count_left_out() {
  const Options& o = job_.options;
  SearchReport& search = *job_.report.search;
  const auto count = [&](const Condition& where, CloudFacts& facts, bool is_data, std::int64_t& points,
                         std::int64_t& skipped) {
    if (!where) return;
    if (clouds_.are_in_files()) {
      const flow::FileSearchReport& files = clouds_.files()->report();
      facts.left_out = (is_data || o.self_query() ? files.data : files.query).left_out;
    } else {
      const Cloud& cloud = is_data ? clouds_.data_cloud() : clouds_.query_cloud();
      facts.left_out = problem::survey(cloud.points, search_options_.threads).left_out;
    }
    points -= facts.left_out;
    skipped -= facts.left_out;
    if (facts.left_out == facts.points && facts.points > 0)
      job_.warn(fmt::format("{} '{}': no point of {} meets it", where.option, where.text, facts.path));
  };
  count(o.where, *job_.report.data, true, search.data_points, search.data_skipped);
  count(condition_of_queries(o), *job_.report.query, false, search.query_points, search.query_skipped);
  if (job_.report.clusters) job_.report.clusters->noise -= job_.report.data->left_out;
}

namespace {

std::string cloud_name(const std::string& path) { return path == "-" ? "stdin" : path; }

/// How many neighbours so many bytes hold, but no fewer than 65,536: rows of any length have to be somewhere.
std::int64_t neighbors_in(double bytes) {
  constexpr double fewest = 1 << 16;
  return static_cast<std::int64_t>(std::max(fewest, bytes / detail::k_bytes_per_listed));
}

}  // namespace

/// What the search takes of the host's memory. @throws Error resources: more than --max-memory.
double Job::bytes_in_memory() const {
  const Options& asked = job_.options;
  const PointsView queries = clouds_.query_cloud().points;
  return flow::checked_bytes_in_memory(clouds_.data_cloud().points, asked.self_query() ? nullptr : &queries,
                                       search_options_, product_shape(asked), *asked.max_memory, finds(asked));
}

/// Groups the points of both clouds.
void Job::find_groups() {
  groups_ = groups_of(job_.options, clouds_.data_cloud(), clouds_.query_cloud());
  job_.warn(groups_->warnings);
}

/// Sets how the search in memory names its clouds and shows its progress.
void Job::describe_search() {
  const Options& asked = job_.options;
  search_options_.data_name = cloud_name(asked.data);
  search_options_.query_name = cloud_name(asked.query.value_or(asked.data));
  search_options_.on_progress = job_.progress_of(job_.report.query->points);
}

void Job::search_in_memory(bool by_index) {
  const Options& asked = job_.options;
  SearchOptions& options = search_options_;
  const Cloud &data = clouds_.data_cloud(), &queries = clouds_.query_cloud();
  if (asked.max_memory) bytes_in_memory();
  describe_search();
  if (asked.has_groups()) find_groups();
  const auto asked_queries = asked.self_query() ? std::nullopt : std::optional<PointsView>(queries.points);
  const auto search = [&] {
    const auto groups = groups_ ? std::optional(groups_->view()) : std::nullopt;
    if (asked.has_limits())
      return search_limited({data.points, asked_queries, nullptr, groups}, limits_of(asked, queries).view(), options);
    if (groups) return search_groups(data.points, asked_queries, *groups, options);
    if (!by_index) return detail::search(data.points, asked_queries, options);
    return detail::search(clouds_.data()->index({options.invalid, options.threads, options.data_name}), asked_queries,
                          options);
  };
  SearchResult result = search();
  neighbors_ = std::move(result.neighbors);
  job_.report.search = std::move(result.report);
  if (asked.match == Match::mutual)
    choose_mutual();
  else if (asked.is_one_to_one())
    choose_one_to_one();
  found_ = &in_memory_.emplace(neighbors_, data, queries);
}

void Job::take_rows(const std::string& result) {
  if (clouds_.are_in_files())
    throw Error(ErrorKind::usage, result + ": a stored result is judged in memory; leave out --max-memory");
  job_.phase("read " + result);
  formats::ReferenceFile stored(result);
  if (!stored.has_distances()) throw Error(ErrorKind::bad_input, result + ": has no distances, which are judged, too");
  const std::int64_t m = stored.queries(), k = stored.k();
  clouds_.make_cells(search_options_.threads);
  clouds_.identify();
  const std::string meta = stored.meta();
  check_reference_meta(meta, job_.options, job_.report, result);
  if (k != job_.options.search.k)
    throw Error(ErrorKind::bad_input, fmt::format("{}: has {} per query (need {})", result,
                                                  base::counted(k, "neighbour"), job_.options.search.k));
  accuracy::check_reference_rows(m, job_.report.query->points, result);
  neighbors_ = {m, k, {}, {}};
  neighbors_.ids.resize(static_cast<std::size_t>(m * k));
  neighbors_.distances.resize(static_cast<std::size_t>(m * k));
  stored.read_ids(0, std::span(neighbors_.ids));
  stored.read_distances(0, neighbors_.distances);
  const std::vector<std::int64_t> ids(neighbors_.ids.begin(), neighbors_.ids.end());
  accuracy::check_reference_ids(ids, k, 0, job_.report.data->points, job_.options.search.images, result);
  const Cloud &data = clouds_.data_cloud(), &queries = clouds_.query_cloud();
  SearchReport& report = job_.report.search.emplace();
  report.method = job_.options.search.method;
  if (job_.options.search.images == Images::all) job_.warn(result + ": ids and distances are checked, shifts are not");
  const ReadFacts facts = read_json(meta).value_or(ReadFacts());
  report.shifts = static_cast<int>(facts.get<std::int64_t>("shifts").value_or(0));
  report.window = facts.get<std::int64_t>("window").value_or(0);
  report.sample = {facts.get<std::int64_t>("sample.queries").value_or(0), facts.get<double>("sample.recall")};
  report.device = {"CPU", DeviceKind::cpu, search_options_.threads, 0};
  report.dimensions = data.points.dimensions;
  report.data_points = data.points.size();
  report.query_points = m;
  const int threads = search_options_.threads;
  report.data_skipped = problem::survey(data.points, threads).invalid;
  report.query_skipped = problem::survey(queries.points, threads).invalid;
  count_left_out();
  if (job_.options.has_groups()) find_groups();
  found_ = &in_memory_.emplace(neighbors_, data, queries);
}

/// Searches the nearest query of each data point, too, and keeps the pairs of which each is the nearest of the other.
void Job::choose_mutual() {
  if (job_.options.self_query()) {
    neighbors_ = mutual_pairs(neighbors_, neighbors_);
    return;
  }
  SearchOptions options = search_options_;
  std::swap(options.data_name, options.query_name);
  const PointsView &data = clouds_.data_cloud().points, &queries = clouds_.query_cloud().points;
  const SearchResult of_data = groups_ ? search_groups(queries, data, groups_->of_swapped_clouds(), options)
                                       : kann::search(queries, data, options);
  job_.report.search->total_seconds += of_data.report.total_seconds;
  neighbors_ = mutual_pairs(neighbors_, of_data.neighbors);
}

void Job::choose_one_to_one() {
  OneToOnePairs chosen = one_to_one_pairs(neighbors_, job_.report.data->points);
  neighbors_ = std::move(chosen.pairs);
  warn_of_lost_distances();
  if (chosen.cut_off == 0) return;
  const auto& radius = job_.options.search.radius;
  job_.warn(fmt::format(
      "--match one-to-one: {} of {} queries have lost their {} to others, and may have a "
      "pair with one farther away; give {}, or a larger --k",
      chosen.cut_off, job_.report.search->query_points - job_.report.search->query_skipped,
      base::counted(job_.options.search.k, "nearest neighbour"), radius ? "--k all" : "--k all --radius R"));
}

/// Warns if float32 holds none of the distances between pairs: they were chosen by the numbers of their rows.
void Job::warn_of_lost_distances() {
  const PointsView data = clouds_.data_cloud().points, queries = clouds_.query_cloud().points;
  if (search_options_.sky || !search_options_.periodic.empty()) return;  // other coordinates may be the same place
  std::int64_t lost = 0;
  for (std::int64_t query = 0; query < neighbors_.queries; ++query) {
    const std::int32_t id = neighbors_.ids[query];
    if (id == k_missing_id) continue;
    bool is_same_place = true;
    for (int axis = 0; axis < data.dimensions; ++axis) is_same_place &= data.at(id, axis) == queries.at(query, axis);
    if (is_same_place || (neighbors_.distances[query] != 0 && !std::isinf(neighbors_.distances[query]))) return;
    ++lost;
  }
  if (lost > 0)
    job_.warn(
        "--match one-to-one: float32 holds none of the distances, which are written as 0 or inf, so that pairs were "
        "chosen by row numbers; scale the coordinates");
}

/// The pairs are rows of one neighbour, as others are.
void Job::choose_one_to_one_of_lists() {
  const Options& asked = job_.options;
  if (!lists_->is_whole())
    throw Error(ErrorKind::resources,
                fmt::format("--match one-to-one: {} neighbours within {} do not fit in memory together; take a smaller "
                            "--radius, or --k N",
                            lists_->neighbors(), *asked.search.radius));
  lists_->blocks().for_each(
      [&](const Rows& all) { neighbors_ = one_to_one_pairs(all, job_.report.data->points).pairs; });
  lists_.reset();
  warn_of_lost_distances();
  found_ = &in_memory_.emplace(neighbors_, clouds_.data_cloud(), clouds_.query_cloud());
}

/// Searches all neighbours within the radius. What they take is not known before the search: as many are held as fit
/// beside the clouds.
void Job::search_lists() {
  const Options& asked = job_.options;
  SearchOptions& options = search_options_;
  const Cloud &data = clouds_.data_cloud(), &queries = clouds_.query_cloud();
  describe_search();
  const auto asked_queries = asked.self_query() ? std::nullopt : std::optional<PointsView>(queries.points);
  const std::int64_t held =
      asked.max_memory ? neighbors_in(*asked.max_memory - bytes_in_memory()) : detail::most_in_memory();
  std::optional<double> seconds;
  {
    const base::ScopedTimer timer(seconds);
    const auto pairs = asked.half_pairs ? detail::ListedPairs::half : detail::ListedPairs::both;
    if (asked.has_groups() || asked.has_limits()) {
      if (asked.half_pairs) options.include_self = false;
      if (asked.has_groups()) find_groups();
      const auto groups = groups_ ? std::optional(groups_->view()) : std::nullopt;
      const QueryLimits limits = limits_of(asked, queries);
      const auto list = [&](bool counts) {
        if (asked.has_limits())
          return (counts ? count_radius_limited : search_radius_limited)({data.points, asked_queries, nullptr, groups},
                                                                         limits.view(), options);
        return (counts ? count_radius_groups : search_radius_groups)(data.points, asked_queries, *groups, options);
      };
      if (asked.max_memory && !asked.counts_only()) {  // they are held twice while they are put together
        const std::int64_t count = list(true).lists.neighbors();
        if (count > held / 2) detail::refuse_lists(count, held / 2);
      }
      lists_.emplace(list(asked.counts_only()), data.points.size(), pairs);
    } else {
      const Index& index = clouds_.data()->index({options.invalid, options.threads, options.data_name});
      lists_.emplace(index, data.points, asked_queries, options, pairs, asked.counts_only() ? -1 : held);
    }
  }
  job_.report.search = lists_->report();
  job_.report.search->total_seconds = *seconds;
  if (asked.is_one_to_one())
    choose_one_to_one_of_lists();
  else
    found_ = &in_memory_.emplace(lists_->blocks(), data, queries);
}

/// Searches all neighbours within the radius in tiles.
void Job::search_lists_in_files() {
  flow::FileSearch& files = *clouds_.files();
  search_options_.data_name = job_.options.data;
  search_options_.on_progress = job_.progress_of(files.queries().size());
  const auto check = [&](const flow::CountedLists& counted) { products_.check_disk(counted, files.folder()); };
  job_.report.search =
      files.list(search_options_,
                 {.is_half = job_.options.half_pairs, .counts_only = job_.options.counts_only(), .on_counted = check});
  job_.report.files = files.report();
  found_ = files.found();
}

/// Searches in tiles or pieces. The rows of a piece are written to their places in the result as they are found, if the
/// format has such places and nothing else needs the rows.
void Job::search_files() {
  flow::FileSearch& files = *clouds_.files();
  SearchOptions& options = search_options_;
  options.data_name = job_.options.data;
  options.on_progress = job_.progress_of(files.queries().size());
  if (files.is_in_pieces() && products_.reserve_rows(files.queries().size(), options.k)) {
    const auto search = [&](const RowBlocks::Sink& write) {
      job_.report.search = files.run(options, [&](std::int64_t, const Neighbors& rows) { write(rows); });
    };
    products_.write_found({files.queries().size(), options.k, false, search});
  } else {
    job_.report.search = files.run(options);
    found_ = files.found();
  }
  job_.report.files = files.report();
  if (!job_.options.compare) return;
  clouds_.identify();
  checks_.check_clouds_of_reference();
}

void Job::write_part() { products_.write_part(clouds_.are_in_files() ? clouds_.files()->own_rows() : found_->rows()); }

void Job::serve() {
  if (clouds_.are_in_files()) clouds_.files()->serve();
}

void Job::end_service() {
  if (clouds_.are_in_files()) clouds_.files()->end_service();
}

void Job::make_products() {
  if (job_.options.counts_only()) {
    products_.make_counts();
  } else if (!found_) {
    products_.join_written();
  } else {
    if (lists_ && !lists_->is_whole() && job_.options.writes_result())
      job_.messages.info(
          fmt::format("{} neighbours within {} do not fit in memory together; they are searched again "
                      "while they are written",
                      lists_->neighbors(), *job_.options.search.radius));
    products_.make(*found_, labels_ ? &*labels_ : nullptr);
  }
  if (clouds_.are_in_files()) report_memory();
}

void Job::report_memory() {
  flow::FileSearchReport& tiles = *job_.report.files;
  const base::MemoryBudget& memory = clouds_.files()->memory();
  const int threads = base::thread_count(job_.options.search.threads);
  tiles.charged_bytes = static_cast<double>(memory.peak()) + base::program_bytes(threads, job_.ranks.size() > 1);
  tiles.budget_bytes = memory.limit();
}

void Job::summarise() const {
  const Options& options = job_.options;
  const Report& report = job_.report;
  job_.messages.info(summary_line(options, report));
  for (const std::string& line : detail_lines(*report.search)) job_.messages.detail(line);
  if (report.files) job_.messages.detail(tiles_line(*report.files));
  const bool is_on_stdout = options.stats && !options.writes_result();  // the table, in place of the paths
  if (is_on_stdout)
    for (const OutputPath& picture : output_paths(options)) job_.messages.info("picture: " + picture.path);
  if (is_on_stdout && !options.json) return;
  const bool is_asked_for = options.stats && !is_on_stdout;
  constexpr std::size_t columns = 73;  // together with the prefix of messages, one less than a terminal has
  for (const std::string& line : statistics_table(options, report, columns))
    is_asked_for ? job_.messages.info(line) : job_.messages.detail(line);
}

}  // namespace kann::cli
