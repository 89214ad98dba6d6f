#include "tiles/shifted_sort.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "base/parallel.hpp"
#include "base/seconds_since.hpp"
#include "comm/mail.hpp"
#include "comm/record_batch.hpp"
#include "comm/shares.hpp"
#include "geometry/within_radius.hpp"
#include "io/files/spool.hpp"
#include "problem/prepare.hpp"
#include "problem/valid_points.hpp"
#include "tiles/framed_survey.hpp"
#include "tiles/shift_records.hpp"
#include "tiles/shift_tiles.hpp"
#include "tiles/shifted_rows.hpp"
#include "tiles/shifts/shift_problem.hpp"
#include "tiles/shifts/window_search.hpp"

namespace kann::tiles {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t k_invalid = -1;  // in the place of a row

/// One search. T is the type of the coordinates of both clouds.
template <class T, int D>
class ShiftedTiles {
 public:
  ShiftedTiles(const PointSource& data, const PointSource* queries, const TileOptions& options,
               comm::Communicator& ranks)
      : ranks_(ranks),
        data_(data),
        queries_(queries),
        options_(options),
        survey_(survey_in_frame(data, options.search.invalid,
                                splitter_sample(static_cast<double>(tiles_of(data.size()))), options.sizes.read_points,
                                base::thread_count(options.search.threads), ranks)),
        p_(shifted_problem(options.search, survey_.in, survey_.survey.valid, D, !queries)),
        within_(options.search.radius ? std::optional(geometry::WithinRadius(*options.search.radius)) : std::nullopt),
        records_(survey_.in.frame, static_cast<std::size_t>(p_.shifted_list_size())),
        tiles_(p_, records_, shift_splitters<D>(p_, survey_.in.frame, survey_.sample, tiles_of(p_.data_count)), options,
               ranks),
        fresh_(options.folder, tiles_.end() - tiles_.begin(), options.sizes.chunk_bytes),
        waiting_(options.folder, 2 * (tiles_.end() - tiles_.begin()), options.sizes.chunk_bytes),
        mail_(ranks, records_.query_bytes(), options.folder, options.sizes.chunk_bytes,
              [this](std::uint32_t stream, std::span<const std::byte> arrived) { waiting_.append(stream, arrived); }),
        batch_(records_.query_bytes(), p_.threads) {
    survey_.sample = {};
  }

  /// Searches all queries in all shifts. Sets times, bytes and skipped points of `report`.
  std::unique_ptr<ShiftedRows<T, D>> run(TileReport& report) {
    report.survey_seconds = base::seconds_since(start_);
    const auto ordering = Clock::now();
    route();
    report.order_seconds = base::seconds_since(ordering);
    const auto searching = Clock::now();
    const auto tiles = static_cast<double>(tiles_.end() - tiles_.begin());
    for (int shift = 0; shift < p_.shifts; ++shift) {
      tiles_.arrange(shift);
      for (std::size_t t = tiles_.begin(); t < tiles_.end(); ++t) {
        search_tile(shift, t);
        options_.show_progress((shift + static_cast<double>(t + 1 - tiles_.begin()) / tiles) / p_.shifts);
      }
      mail_.deliver();
    }
    report.search_seconds = base::seconds_since(searching);
    report.data = survey_.survey;
    if (queries_) report.query = query_survey_;
    const auto sum = [&](std::uint64_t own) {
      return static_cast<std::uint64_t>(ranks_.sum(static_cast<std::int64_t>(own)));
    };
    report.sent_bytes = sum(tiles_.sent_bytes() + sent_fresh_ + mail_.sent_bytes());
    report.temporary_bytes =
        sum(tiles_.file_bytes() + fresh_.file_bytes() + waiting_.file_bytes() + mail_.file_bytes());
    return std::move(rows_);
  }

 private:
  using Point = ShiftPoint<T, D>;
  using Queries = ShiftQueries<T, D>;

  /// How many tiles `points` have: at least one for each rank, where there are points enough.
  std::size_t tiles_of(std::int64_t points) const {
    const std::int64_t most = std::min(options_.sizes.tile_points, std::max<std::int64_t>(1, points / ranks_.size()));
    return static_cast<std::size_t>(std::max<std::int64_t>(1, (points + most - 1) / most));
  }

  /// Sends both clouds to their tiles in shift 0.
  void route() {
    comm::RecordBatch batch(records_.k_new_query_bytes, p_.threads);
    comm::Mail mail(ranks_, records_.k_new_query_bytes, options_.folder, options_.sizes.chunk_bytes,
                    [this](std::uint32_t tile, std::span<const std::byte> fresh) { fresh_.append(tile, fresh); });
    const Splitters& splitters = tiles_.splitters(0);
    const auto send_queries = [&](const std::vector<Point>& points) {
      batch.make(
          std::ssize(points), static_cast<std::uint32_t>(tiles_.size()),
          [&](std::int64_t i) {
            const OrderKey& key = points[static_cast<std::size_t>(i)].key;
            const std::size_t tile = splitters.of_query(key.key);
            // In a self-query, most are in the tile itself
            const bool is_there = !queries_ && splitters.of_point(key) == tile;
            return is_there ? comm::RecordBatch::k_nowhere : static_cast<std::uint32_t>(tile);
          },
          [&](std::int64_t i, std::span<std::byte> record) {
            const Point& query = points[static_cast<std::size_t>(i)];
            ShiftRecords<T, D>::write_new(query.key.row, query.given, record);
          });
      batch.for_each_group([&](std::uint32_t tile, std::span<const std::byte> fresh) {
        const auto to = tiles_.address(0, tile);
        mail.send(to.rank, to.stream, fresh);
      });
    };
    const problem::Survey read = read_share(data_, [&](const std::vector<Point>& points) {
      tiles_.send(0, points);
      if (!queries_) send_queries(points);
    });
    if (read.valid != survey_.survey.valid)
      throw Error(ErrorKind::bad_input, data_.name() + ": changed while it was read");
    query_survey_ = queries_ ? read_share(*queries_, send_queries) : read;
    if (queries_ && options_.search.invalid == InvalidPoints::error)
      problem::refuse_invalid(query_survey_, queries_->name());
    const double width = problem::check_width(survey_.survey, query_survey_,
                                              queries_ ? data_.name() + " and " + queries_->name() : data_.name(), D);
    mail.deliver();
    sent_fresh_ = mail.sent_bytes();
    rows_ = std::make_unique<ShiftedRows<T, D>>(p_, data_.size(), queries_ ? *queries_ : data_, query_survey_, width,
                                                options_, ranks_);
  }

  /// Calls f() for blocks of valid points of this rank's share of a cloud, with their keys in shift 0. Returns the
  /// survey of the whole.
  template <class F>
  problem::Survey read_share(const PointSource& cloud, F f) {
    const std::int64_t begin = comm::share_begin(cloud.size(), ranks_.size(), ranks_.rank());
    const std::int64_t end = comm::share_begin(cloud.size(), ranks_.size(), ranks_.rank() + 1);
    problem::Survey own;
    std::vector<Point> points;
    cloud.for_each_block(begin, end, options_.sizes.read_points, [&](std::int64_t row, const PointsView& block) {
      problem::Survey read = problem::survey(block, p_.threads);
      if (read.first_invalid >= 0) read.first_invalid += row;
      problem::append(own, read);
      points.resize(static_cast<std::size_t>(block.size()));
      base::parallel_for(block.size(), p_.threads, [&](std::int64_t i) {
        Point& point = points[static_cast<std::size_t>(i)];
        point.key = {0, k_invalid};
        if (read.invalid > 0 && !problem::is_valid(block, i)) return;
        T given[D];
        for (int a = 0; a < D; ++a) given[a] = static_cast<T>(block.at(i, a));
        place<D>(survey_.in.frame, given, point);
        point.key = {shift_key<D>(p_, 0, point.in_frame), row + i};
      });
      if (read.invalid > 0) std::erase_if(points, [](const Point& point) { return point.key.row == k_invalid; });
      f(points);
    });
    problem::Survey whole;
    for (const problem::Survey& share : ranks_.gather_value(own)) problem::append(whole, share);
    return whole;
  }

  void search_tile(int shift, std::size_t tile) {
    const bool is_last = shift + 1 == p_.shifts, is_home = shift == 0 && !queries_;
    const std::size_t stream = tiles_.address(shift, tile).stream;
    if (is_last && !is_home && (shift == 0 ? fresh_ : waiting_).size(stream) == 0) return;
    const typename ShiftTiles<T, D>::Loaded loaded = tiles_.take(shift, tile);
    if (!is_last) move_on(shift, loaded);
    const auto piece = static_cast<std::size_t>(options_.sizes.piece_queries);
    Queries some(static_cast<std::size_t>(p_.shifted_list_size()));
    // Of the points of the tile, the last may have a key with which others begin the next tiles
    if (is_home) {
      const auto last = std::ranges::partition_point(
          loaded.own, [&](const Point& point) { return tiles_.splitters(0).of_query(point.key.key) == tile; });
      for (auto begin = loaded.own.begin(); begin < last; begin += std::ssize(some)) {
        some.reset(std::min(piece, static_cast<std::size_t>(last - begin)));
        base::parallel_for(std::ssize(some), p_.threads, [&](std::int64_t i) {
          ShiftQuery<T, D>& query = some[static_cast<std::size_t>(i)];
          query.row = begin[i].key.row;
          place<D>(survey_.in.frame, begin[i].given, query);
        });
        search(shift, loaded.tile, some);
      }
    }
    const std::size_t bytes = shift == 0 ? records_.k_new_query_bytes : records_.query_bytes();
    (shift == 0 ? fresh_ : waiting_).take(stream, piece * bytes, [&](std::span<const std::byte> records) {
      some.reset(records.size() / bytes);
      base::parallel_for(std::ssize(some), p_.threads, [&](std::int64_t query) {
        const auto i = static_cast<std::size_t>(query);
        const std::span<const std::byte> record = records.subspan(i * bytes, bytes);
        if (shift == 0)
          records_.read_new(record, some[i]);
        else
          records_.read(record, some[i], some.seen(i));
      });
      search(shift, loaded.tile, some);
    });
  }

  /// Sends the points of a tile to their tiles in the next shift.
  void move_on(int shift, const typename ShiftTiles<T, D>::Loaded& loaded) {
    std::vector<Point> points;
    const auto piece = static_cast<std::size_t>(options_.sizes.read_points);
    for (std::size_t begin = 0; begin < loaded.own.size(); begin += piece) {
      const std::span<const Point> some = loaded.own.subspan(begin, std::min(piece, loaded.own.size() - begin));
      points.assign(some.begin(), some.end());
      base::parallel_for(std::ssize(points), p_.threads, [&](std::int64_t i) {
        Point& point = points[static_cast<std::size_t>(i)];
        point.key.key = shift_key<D>(p_, shift + 1, point.in_frame);
        if (shift == 0) point.place = loaded.first + static_cast<std::int64_t>(begin) + i;
      });
      tiles_.send(shift + 1, points);
    }
  }

  /// Searches some queries of a tile, and sends them to their tiles in the next shift, or to the rows.
  void search(int shift, const ShiftTile<T, D>& tile, Queries& some) {
    constexpr std::int64_t grain = 1024;
    base::parallel_chunks(std::ssize(some), grain, p_.threads, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        search_window(p_, shift, tile, within_, some[i], some.seen(i));
    });
    rows_->look_at_sample(shift, tile, some);
    if (shift + 1 == p_.shifts) return rows_->finish(some);
    batch_.make(
        std::ssize(some), static_cast<std::uint32_t>(tiles_.size()),
        [&](std::int64_t i) {
          const std::uint64_t key = shift_key<D>(p_, shift + 1, some[static_cast<std::size_t>(i)].in_frame);
          return static_cast<std::uint32_t>(tiles_.splitters(shift + 1).of_query(key));
        },
        [&](std::int64_t query, std::span<std::byte> record) {
          const auto i = static_cast<std::size_t>(query);
          ShiftRecords<T, D>::write(some[i], some.seen(i), record);
        });
    batch_.for_each_group([&](std::uint32_t next, std::span<const std::byte> records) {
      const auto to = tiles_.address(shift + 1, next);
      mail_.send(to.rank, to.stream, records);
    });
  }

  const Clock::time_point start_ = Clock::now();
  comm::Communicator& ranks_;
  const PointSource& data_;
  const PointSource* const queries_;
  const TileOptions& options_;
  FramedSurvey survey_;
  const problem::Problem p_;
  const std::optional<geometry::WithinRadius> within_;
  const ShiftRecords<T, D> records_;
  ShiftTiles<T, D> tiles_;
  io::Spool fresh_;               // queries before shift 0, by tiles of this rank
  io::Spool waiting_;             // queries before a later shift, by ShiftTiles::Address
  comm::Mail mail_;               // to waiting_
  std::uint64_t sent_fresh_ = 0;  // bytes
  problem::Survey query_survey_;
  std::unique_ptr<ShiftedRows<T, D>> rows_;
  comm::RecordBatch batch_;  // of queries that go on to the next shift
};

template <class T, int D>
TileAnswer search_as(const PointSource& data, const PointSource* queries, const TileOptions& options,
                     comm::Communicator& ranks) {
  TileReport report;
  const auto rows = ShiftedTiles<T, D>(data, queries, options, ranks).run(report);  // whose files are gone now
  return rows->search_exactly(data, queries, report);
}

}  // namespace

TileAnswer shifted_sort(const PointSource& data, const PointSource* queries, const TileOptions& options,
                        comm::Communicator& ranks) {
  const bool is_float64 = are_float64(data, queries), is_3d = data.dimensions() == 3;
  const auto search = is_float64 ? (is_3d ? search_as<double, 3> : search_as<double, 2>)
                                 : (is_3d ? search_as<float, 3> : search_as<float, 2>);
  return search(data, queries, options, ranks);
}

}  // namespace kann::tiles
