// Searches of arrays that are in the memory of a CUDA device. Work is queued on the stream that Python names, as a
// number.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <span>

#include "kann/device_buffer.hpp"
#include "kann/device_index.hpp"

#include "host_index.hpp"
#include "module.hpp"

namespace kann::python {
namespace {

/// What DLPack hands over: an array of any type and shape, wherever it is.
using AnyArray = nb::ndarray<nb::ro>;
using WritableArray = nb::ndarray<>;

CUstream_st* stream_of(std::uintptr_t number) { return reinterpret_cast<CUstream_st*>(number); }

template <class Kind>
bool is_on_device(const Kind& array) {
  return array.device_type() == nb::device::cuda::value || array.device_type() == nb::device::cuda_managed::value;
}

/// The shape is m × n, the values follow each other in C order.
template <class Kind>
bool is_row_major(const Kind& array) {
  if (array.ndim() != 2) return false;
  const auto rows = static_cast<std::int64_t>(array.shape(0)), columns = static_cast<std::int64_t>(array.shape(1));
  return rows == 0 || ((columns <= 1 || array.stride(1) == 1) && (rows == 1 || array.stride(0) == columns));
}

/// @throws Error bad_input.
PointsView points_of(const AnyArray& array, const std::string& name) {
  const auto refuse = [&](const std::string& why) { throw Error(ErrorKind::bad_input, name + ": " + why); };
  if (!is_on_device(array)) refuse("not in the memory of a CUDA device");
  if (array.ndim() != 2 || (array.shape(1) != 2 && array.shape(1) != 3)) {
    std::string shape;
    for (std::size_t a = 0; a < array.ndim(); ++a) shape += (a ? ", " : "") + std::to_string(array.shape(a));
    refuse("the shape is (" + shape + "), and points are n x 2 or n x 3");
  }
  if (!is_row_major(array))
    refuse("the array is not in C order; pass a contiguous copy, which torch makes by .contiguous()");
  const auto values = [&]<class T>(T) { return std::span(static_cast<const T*>(array.data()), array.size()); };
  const int dimensions = static_cast<int>(array.shape(1));
  if (array.dtype() == nb::dtype<float>()) return {dimensions, values(float())};
  if (array.dtype() != nb::dtype<double>()) refuse("coordinates on a GPU are of the types float32 and float64");
  return {dimensions, values(double())};
}

/// One value after another, `size` of them.
template <class T>
T* values_of(const WritableArray& array, const char* name, std::size_t size, int device) {
  const bool fits = is_on_device(array) && array.device_id() == device && array.ndim() == 1 &&
                    (array.size() < 2 || array.stride(0) == 1) && array.dtype() == nb::dtype<T>() &&
                    array.size() == size;
  if (!fits) throw Error(ErrorKind::internal, std::string(name) + ": not the array that was made for a search");
  return static_cast<T*>(array.data());
}

template <class T>
T* output_of(const WritableArray& array, const char* name, const char* type, std::int64_t m, std::int64_t k,
             int device) {
  const bool fits = is_on_device(array) && array.device_id() == device && is_row_major(array) &&
                    array.dtype() == nb::dtype<T>() && static_cast<std::int64_t>(array.shape(0)) == m &&
                    static_cast<std::int64_t>(array.shape(1)) == k;
  if (!fits)
    throw Error(ErrorKind::usage, std::string("out: the ") + name + " need an array of " + type + " of the shape (" +
                                      std::to_string(m) + ", " + std::to_string(k) +
                                      "), in C order, on cuda:" + std::to_string(device));
  return static_cast<T*>(array.data());
}

DeviceNeighbors outputs_of(const WritableArray& ids, const WritableArray& distances, std::int64_t m, std::int64_t k,
                           int device) {
  return {output_of<std::int32_t>(ids, "ids", "int32", m, k, device),
          output_of<float>(distances, "distances", "float32", m, k, device)};
}

int device_number(const AnyArray& array, const std::string& name) {
  if (!is_on_device(array)) throw Error(ErrorKind::bad_input, name + ": not in the memory of a CUDA device");
  return array.device_id();
}

/// An index and its data.
class TensorIndex {
 public:
  TensorIndex(AnyArray data, std::uintptr_t stream, InvalidPoints invalid, std::optional<AnyArray> group)
      : data_(std::move(data)), group_(std::move(group)), device_(device_number(data_, "data")) {
    const PointsView view = points_of(data_, "data");
    const DeviceIndexOptions options{
        .stream = stream_of(stream), .device = device_, .invalid = invalid, .groups = groups_of(group_, "data")};
    const ReleasedGil released;
    index_ = std::make_unique<DeviceIndex>(view, options);
  }
  ~TensorIndex() {
    const ReleasedGil released;
    if (forks_ != forks()) static_cast<void>(index_.release());  // another process has its memory, and its searches
    index_.reset();                                              // waits for its searches
  }

  void queue(const std::optional<AnyArray>& queries, const WritableArray& ids, const WritableArray& distances,
             std::int64_t k, std::optional<double> radius, std::uintptr_t stream,
             const std::optional<AnyArray>& group) const {
    const std::optional<PointsView> points = checked(queries);
    const std::int64_t rows = points ? points->size() : index_->size();
    const DeviceNeighbors to = outputs_of(ids, distances, rows, k, device_);
    const std::optional<DeviceGroups> groups = groups_of(group, "queries");
    const ReleasedGil released;
    points ? index_->queue_search(*points, to, k, stream_of(stream), radius, groups)
           : index_->queue_search_self(to, k, stream_of(stream), radius);
  }

  /// Counts the neighbours within a radius: where each row begins. Returns their number. Blocks.
  std::int64_t count(const std::optional<AnyArray>& queries, double radius, const WritableArray& begins,
                     std::uintptr_t stream, const std::optional<AnyArray>& group) const {
    const std::optional<PointsView> points = checked(queries);
    const DeviceLists to{.begins = begins_of(begins, points)};
    const std::int64_t rows = points ? points->size() : index_->size();
    const std::optional<DeviceGroups> groups = groups_of(group, "queries");
    const ReleasedGil released;
    index_->queue_lists(points, to, radius, stream_of(stream), groups);
    std::int64_t neighbors = 0;
    copy_to_host(to.begins + rows, sizeof neighbors, &neighbors, stream_of(stream), device_);
    return neighbors;
  }

  /// Queues the neighbours that count() has counted.
  void list(const std::optional<AnyArray>& queries, double radius, const WritableArray& begins,
            const WritableArray& ids, const WritableArray& distances, std::uintptr_t stream,
            const std::optional<AnyArray>& group) const {
    const std::optional<PointsView> points = checked(queries);
    const DeviceLists to{.begins = begins_of(begins, points),
                         .ids = values_of<std::int32_t>(ids, "ids", ids.size(), device_),
                         .distances = values_of<float>(distances, "distances", ids.size(), device_),
                         .capacity = static_cast<std::int64_t>(ids.size()),
                         .are_counted = true};
    const std::optional<DeviceGroups> groups = groups_of(group, "queries");
    const ReleasedGil released;
    index_->queue_lists(points, to, radius, stream_of(stream), groups);
  }

  std::int64_t size() const { return index_->size(); }
  int dimensions() const { return index_->dimensions(); }
  int device() const { return device_; }

 private:
  std::optional<PointsView> checked(const std::optional<AnyArray>& queries) const {
    if (!queries) return {};
    if (const int other = device_number(*queries, "queries"); other != device_)
      throw Error(ErrorKind::bad_input, "queries: the array is on cuda:" + std::to_string(other) +
                                            ", and the data are on cuda:" + std::to_string(device_));
    return points_of(*queries, "queries");
  }

  std::optional<DeviceGroups> groups_of(const std::optional<AnyArray>& group, const std::string& of) const {
    if (!group) return {};
    const auto numbers = [&]<class T>(T) { return std::span(static_cast<const T*>(group->data()), group->size()); };
    const bool fits = is_on_device(*group) && group->device_id() == device_ && group->ndim() == 1 &&
                      (group->size() < 2 || group->stride(0) == 1);
    if (fits && group->dtype() == nb::dtype<std::int32_t>()) return numbers(std::int32_t());
    if (fits && group->dtype() == nb::dtype<std::int64_t>()) return numbers(std::int64_t());
    throw Error(ErrorKind::bad_input, "group: expects an array of int32 or int64 with a number for each point of " +
                                          of + ", on cuda:" + std::to_string(device_));
  }

  std::int64_t* begins_of(const WritableArray& begins, const std::optional<PointsView>& queries) const {
    const std::int64_t rows = queries ? queries->size() : index_->size();
    return values_of<std::int64_t>(begins, "indptr", static_cast<std::size_t>(rows + 1), device_);
  }

  AnyArray data_;  // this and the next outlive the index
  std::optional<AnyArray> group_;
  int device_;
  int forks_ = forks();
  std::unique_ptr<DeviceIndex> index_;
};

void make_index(TensorIndex* made, AnyArray data, std::uintptr_t stream, const std::string& invalid,
                std::optional<AnyArray> group) {
  const auto policy =
      one_of<InvalidPoints>("invalid", invalid, {{"error", InvalidPoints::error}, {"skip", InvalidPoints::skip}});
  new (made) TensorIndex(std::move(data), stream, policy, std::move(group));
}

/// As TensorIndex::queue(), for data in host memory.
void queue_in_host_data(HostIndex& index, const AnyArray& queries, const WritableArray& ids,
                        const WritableArray& distances, std::int64_t k, std::optional<double> radius,
                        std::uintptr_t stream) {
  const PointsView points = points_of(queries, "queries");
  const int device = queries.device_id();
  const DeviceNeighbors to = outputs_of(ids, distances, points.size(), k, device);
  index.use([&](const Index& used) {
    const ReleasedGil released;
    used.queue_search(points, to, {.k = k, .stream = stream_of(stream), .device = device, .radius = radius});
  });
}

nb::dlpack::dtype type_of(const std::string& name) {
  const std::string kind = name.size() == 3 && name[0] != '>' ? name.substr(1) : "";
  return kind == "f4"   ? nb::dtype<float>()
         : kind == "f8" ? nb::dtype<double>()
         : kind == "i4" ? nb::dtype<std::int32_t>()
         : kind == "i8" ? nb::dtype<std::int64_t>()
                        : nb::dtype<std::uint8_t>();  // refused by who takes it
}

/// An array that owns its memory, and the address. @param type as __cuda_array_interface__ names it
nb::typed<nb::tuple, nb::any, int> allocate(const std::vector<std::size_t>& shape, const std::string& type,
                                            int device) {
  const nb::dlpack::dtype dtype = type_of(type);
  std::size_t bytes = dtype.bits / 8;
  for (const std::size_t side : shape) bytes *= side;
  auto buffer = std::make_unique<DeviceBuffer>(bytes, device);
  void* const first = buffer->data();
  const nb::capsule owner(buffer.get(), [](void* kept) noexcept {
    const ReleasedGil released;
    delete static_cast<DeviceBuffer*>(kept);
  });
  buffer.release();
  nb::ndarray<nb::array_api, nb::device::cuda> array(first, shape.size(), shape.data(), owner, nullptr, dtype,
                                                     nb::device::cuda::value, device);
  return nb::make_tuple(std::move(array), reinterpret_cast<std::uintptr_t>(first));
}

/// An array that __cuda_array_interface__ describes, for DLPack. `strides` in values; empty: C order.
nb::object array_at(std::uintptr_t address, const std::vector<std::size_t>& shape,
                    const std::vector<std::int64_t>& strides, const std::string& type, nb::handle owner) {
  void* const first = reinterpret_cast<void*>(address);
  const int device = std::max(0, kann::device_of(first));
  return nb::cast(nb::ndarray<nb::array_api, nb::device::cuda>(first, shape.size(), shape.data(), owner,
                                                               strides.empty() ? nullptr : strides.data(),
                                                               type_of(type), nb::device::cuda::value, device));
}

}  // namespace

void add_device(nb::module_& module) {
  nb::class_<TensorIndex>(module, "TensorIndex")
      .def("__init__", make_index, nb::arg("data"), nb::arg("stream"), nb::arg("invalid"), nb::arg("group").none())
      .def("queue", &TensorIndex::queue, nb::arg("queries").none(), nb::arg("ids"), nb::arg("distances"), nb::arg("k"),
           nb::arg("radius").none(), nb::arg("stream"), nb::arg("group").none())
      .def("count", &TensorIndex::count, nb::arg("queries").none(), nb::arg("radius"), nb::arg("indptr"),
           nb::arg("stream"), nb::arg("group").none())
      .def("list", &TensorIndex::list, nb::arg("queries").none(), nb::arg("radius"), nb::arg("indptr"), nb::arg("ids"),
           nb::arg("distances"), nb::arg("stream"), nb::arg("group").none())
      .def_prop_ro("size", &TensorIndex::size)
      .def_prop_ro("dimensions", &TensorIndex::dimensions)
      .def_prop_ro("device", &TensorIndex::device);
  module.def("queue", queue_in_host_data, nb::arg("index"), nb::arg("queries"), nb::arg("ids"), nb::arg("distances"),
             nb::arg("k"), nb::arg("radius").none(), nb::arg("stream"));
  module.def("allocate", allocate, nb::arg("shape"), nb::arg("type"), nb::arg("device"));
  module.def("array_at", array_at, nb::arg("address"), nb::arg("shape"), nb::arg("strides"), nb::arg("type"),
             nb::arg("owner"));
  module.def(
      "wait_for",
      [](std::uintptr_t stream, int device) {
        const ReleasedGil released;
        wait_for(stream_of(stream), device);
      },
      nb::arg("stream"), nb::arg("device"));
}

}  // namespace kann::python
