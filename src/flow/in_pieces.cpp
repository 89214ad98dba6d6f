#include "flow/in_pieces.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kann/array.hpp"
#include "kann/index.hpp"

#include "base/seconds_since.hpp"
#include "base/threads/one_behind.hpp"
#include "base/threads/parallel.hpp"
#include "flow/tile_memory.hpp"
#include "problem/prepare.hpp"
#include "problem/survey.hpp"
#include "problem/valid_points.hpp"
#include "search/rows/radius.hpp"
#include "search/search.hpp"
#include "search/search_memory.hpp"
#include "search/warnings.hpp"

namespace kann::flow {
namespace {

using Clock = std::chrono::steady_clock;

detail::PointLoad load_of(const PointSource& data, const PointSource* queries, const FileSearchOptions& options) {
  const SearchOptions& search = options.search;
  const bool are_float64 = queries ? queries->is_float64() : data.is_float64();
  return {.dimensions = search.sky ? 3 : data.dimensions(),
          .k = search.k,
          .is_float64 = search.sky || data.is_float64() || are_float64,
          .is_mixed = !search.sky && data.is_float64() != are_float64,
          .is_self = !queries,
          .may_skip = options.may_skip,
          .keeps_orders = true,
          .is_on_gpu = search.device.kind == DeviceKind::cuda};
}

/// All points of a cloud, read `most` at a time.
template <class T>
Array<T> read_whole(const PointSource& cloud, std::int64_t most) {
  const auto d = static_cast<std::size_t>(cloud.dimensions());
  Array<T> all(static_cast<std::size_t>(cloud.size()) * d);
  cloud.for_each_block(0, cloud.size(), most, [&](std::int64_t row, const PointsView& block) {
    std::ranges::copy(std::get<std::span<const T>>(block.coordinates), all.data() + static_cast<std::size_t>(row) * d);
  });
  return all;
}

/// One search.
class Pieces {
 public:
  /// @param queries null: the data
  Pieces(const PointsView& data, const PointSource& source, const PointSource* queries,
         const FileSearchOptions& options, const TakePiece& take)
      : data_(data),
        queries_(queries),
        count_(queries ? queries->size() : data.size()),
        names_(queries ? source.name() + " and " + queries->name() : source.name()),
        options_(options),
        threads_(base::thread_count(options.search.threads)),
        take_(take),
        search_(options.search),
        index_(data, {search_.invalid, search_.threads, source.name()}),
        of_data_(detail::data_of(index_).survey),
        first_distances_(count_) {
    search_.data_name = source.name();
    if (queries) search_.query_name = queries->name();
    search_.on_progress = nullptr;
    each_ = detail::point_bytes(load_of(source, queries, options_));
    index_charge_ = charge(static_cast<double>(data.size()) * (each_.kept + sphere_bytes(search_.sky.has_value())));
  }

  FileSearchReport run() {
    const auto start = Clock::now();
    report_.points_seconds =
        base::seconds_beside([&](const auto& f) { for_each_piece(f); },
                             [&](std::int64_t first, const PointsView& piece) { search(first, piece); });
    if (count_ == 0) search(0, {data_.dimensions, std::span<const float>()});
    taking_.wait();
    if (search_.invalid == InvalidPoints::error) problem::refuse_invalid(of_queries_, search_.query_name);
    problem::check_width(of_data_, of_queries_, names_, data_.dimensions);
    report_.tiles = 1;
    report_.data = of_data_;
    report_.first_distances = first_distances_.distances();
    report_.query = of_queries_;
    report_.most_points = index_.size();
    report_.search_seconds = base::seconds_since(start);
    return report_;
  }

 private:
  /// Calls f(first, piece) for consecutive queries, from number `first` on.
  template <class F>
  void for_each_piece(F f) const {
    const std::int64_t most = options_.sizes.piece_queries;
    if (queries_) return queries_->for_each_block(0, count_, most, f);
    for (std::int64_t first = 0; first < count_; first += most)
      f(first, data_.part(first, std::min(first + most, count_)));
  }

  void search(std::int64_t first, const PointsView& piece) {
    problem::Survey own = !queries_ && piece.size() == count_ ? of_data_ : problem::survey(piece, threads_);
    if (own.first_invalid >= 0) own.first_invalid += first;
    problem::append(of_queries_, own);
    const double width = problem::common_width(of_data_, of_queries_, data_.dimensions);
    // A cloud that will be refused is read to its end, since the message counts all of its points
    if (of_queries_.invalid > of_queries_.left_out && search_.invalid == InvalidPoints::error) return;
    if (!(width < problem::k_max_width)) return;
    are_wide_ = 2 * width > std::numeric_limits<float>::max();
    rows_charge_.resize(0);  // of the piece before, where its rows came in parts
    rows_charge_ = charge(bytes_of_rows(piece.size()));
    SearchResult result = search_piece(first, piece);
    report_.rows.neighbors += result.report.within_radius.value_or(0);
    report_.rows.full_rows += result.report.full_rows.value_or(0);
    keep_last(std::move(result.report), report_);
    ++report_.pieces;
    if (count_ > 0) options_.show_progress(static_cast<double>(first + piece.size()) / static_cast<double>(count_));
  }

  /// Bytes of the rows of a piece that are in memory while it is searched: all, or two parts of them.
  double bytes_of_rows(std::int64_t queries) const {
    const std::int64_t part = options_.sizes.part_rows;
    return found_bytes(static_cast<double>(std::min(queries, 2 * part)), static_cast<double>(search_.k));
  }

  /// Takes the rows of some queries of a piece, from number `first` of all on. Those of a whole piece are handed over
  /// while the next is searched; parts arrive on a thread of their own, which hands them over.
  void take_part(std::int64_t first, const PointsView& queries, Neighbors& rows, bool is_whole) {
    if (search_.radius && !search_.sky) keep_within_radius(queries, rows);
    if (are_wide_) report_.rows.past_float32 += detail::distances_past_float32(rows);
    first_distances_.add(first, rows);
    if (is_whole)
      return taking_.run([this, first, rows = std::move(rows), held = std::move(rows_charge_)] { take_(first, rows); });
    taking_.wait();
    take_(first, rows);
    options_.show_progress(static_cast<double>(first + rows.queries) / static_cast<double>(count_));
  }

  bool is_on_gpu() const { return search_.device.kind == DeviceKind::cuda; }
  base::MemoryCharge charge(double bytes) const { return {options_.memory, bytes}; }

  SearchResult search_piece(std::int64_t first, const PointsView& piece) {
    const double ordering = report_.pieces == 0 ? static_cast<double>(data_.size()) * each_.ordering : 0;
    const auto search_charge =
        charge(ordering + static_cast<double>(piece.size()) * (each_.query + sphere_bytes(search_.sky.has_value())) +
               (is_on_gpu() ? 0 : cpu::list_bytes(std::min(search_.k, data_.size()), threads_)));
    if (search_.sky) {
      SearchResult result = index_.search(piece, search_);
      take_part(first, piece, result.neighbors, true);
      return result;
    }
    SearchOptions whole = search_;  // the radius shortens rows when they are taken
    whole.radius.reset();
    const auto take = [&](std::int64_t begin, Neighbors& rows) {
      const std::int64_t count = rows.queries;
      take_part(first + begin, piece.part(begin, begin + count), rows, count == piece.size());
    };
    return detail::search_in_parts(index_, queries_ ? std::optional(piece) : std::nullopt, first, piece.size(), whole,
                                   {options_.sizes.part_rows, take});
  }

  void keep_within_radius(const PointsView& piece, Neighbors& rows) {
    const auto difference = [&](std::int64_t query, std::int64_t point) {
      std::array<double, 3> d{};
      for (int a = 0; a < data_.dimensions; ++a)
        d[static_cast<std::size_t>(a)] = piece.at(query, a) - data_.at(point, a);
      return d;
    };
    const detail::Within within = detail::keep_within(*search_.radius, Method::exact, threads_, difference, rows);
    report_.rows.neighbors += within.neighbors;
    report_.rows.full_rows += within.full_rows;
  }

  const PointsView data_;
  const PointSource* const queries_;  // null: the data are the queries
  const std::int64_t count_;          // of the queries
  const std::string names_;           // the names of both clouds, for messages
  const FileSearchOptions& options_;
  const int threads_;
  const TakePiece& take_;
  SearchOptions search_;  // the options for one piece
  cpu::PointBytes each_;  // bytes per point of a search
  base::MemoryCharge index_charge_;
  const Index index_;
  const problem::Survey of_data_;
  problem::Survey of_queries_;  // as far as they were read
  detail::FirstDistances first_distances_;
  bool are_wide_ = false;           // whether distances may be past float32
  base::MemoryCharge rows_charge_;  // of the piece
  FileSearchReport report_;
  base::OneBehind taking_;  // hands rows over; its destructor waits, so it is the last member
};

template <class T>
FileSearchReport search_in(const PointSource& data, const PointSource* queries, const FileSearchOptions& options,
                           const TakePiece& take) {
  const auto start = Clock::now();
  const base::MemoryCharge charge(options.memory, static_cast<double>(data.size()) * data.coordinate_bytes());
  const Array<T> points = read_whole<T>(data, options.sizes.read_points);
  const std::span<const T> coordinates(points.data(), points.size());
  Pieces pieces({data.dimensions(), coordinates}, data, queries, options, take);
  const double seconds = base::seconds_since(start);
  FileSearchReport report = pieces.run();
  report.survey_seconds = seconds;
  return report;
}

}  // namespace

double in_pieces_bytes(const SearchShape& shape, const FileSearchSizes& sizes) {
  const cpu::PointBytes each = detail::point_bytes(shape.point_load(true));
  const double coordinates = shape.given_bytes();
  const auto data = static_cast<double>(shape.data), queries = static_cast<double>(sizes.piece_queries);
  const auto part = static_cast<double>(sizes.part_rows);
  const double vectors = sphere_bytes(shape.is_sky);
  const double read = shape.is_self ? 0 : 2 * coordinates;
  const double search = data * (each.kept + each.ordering + vectors) + queries * (read + each.query + vectors) +
                        shape.query_buffers + 2 * found_bytes(part, static_cast<double>(shape.k)) +
                        ResultStore::consecutive_bytes(part) + shape.list_bytes();
  const double reading = 2 * static_cast<double>(sizes.read_points) * coordinates + shape.data_buffers;
  return data * coordinates + std::max(search, reading);
}

FileSearchReport in_pieces(const PointSource& data, const PointSource* queries, const FileSearchOptions& options,
                           const TakePiece& take) {
  return data.is_float64() ? search_in<double>(data, queries, options, take)
                           : search_in<float>(data, queries, options, take);
}

FileSearchResult in_kept_pieces(const PointSource& data, const PointSource* queries, const FileSearchOptions& options,
                                Communicator& alone) {
  ResultStore rows(alone, {.data_points = data.size(), .k = options.search.k},
                   row_blocks(queries ? queries->size() : data.size(), options.sizes.block_rows), options.files());
  FileSearchReport report = in_pieces(
      data, queries, options, [&](std::int64_t first, const Neighbors& found) { rows.add_consecutive(first, found); });
  rows.deliver();
  report.temporary_bytes = rows.file_bytes();
  return {std::move(rows), report};
}

}  // namespace kann::flow
