"""kann reads and writes LAZ: laz_test.py PROGRAM FOLDER.

laspy with lazrs, which shares no code with LASzip, writes the clouds that PROGRAM (laz_test.cpp) reads, and reads those that
it writes. Exit code 77: skipped, as the packages cannot be installed.
"""

import os
import pathlib
import subprocess
import sys

PACKAGES = ("numpy", "laspy[lazrs]")
SKIPPED = 77
SIZES = (0, 1, 2, 3, 700, 49_999, 50_000, 50_001)  # a chunk has 50,000 points


def environment(folder):
    """The interpreter with the packages, which is kept."""
    python, whole, wanted = folder / "bin" / "python", folder / "whole", " ".join(PACKAGES)
    if not (whole.exists() and whole.read_text() == wanted and python.exists()):
        pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "10"]
        for step in ([sys.executable, "-m", "venv", "--clear", folder], [*pip, "install", "--no-compile", *PACKAGES]):
            try:
                done = subprocess.run(step, capture_output=True, text=True, timeout=300, check=False)
            except (OSError, subprocess.TimeoutExpired) as error:
                skip(f"{wanted} cannot be installed: {error}")
            if done.returncode:
                skip(f"{wanted} cannot be installed: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
        whole.write_text(wanted)
    return python


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def run(*command, **options):
    subprocess.run(command, check=True, **options)


def make_cloud(path, point_format, count, *, extra):
    """A cloud with bits of any kind, as LAS and as LAZ."""
    random = numpy.random.default_rng(100 * point_format + count)
    version = "1.4" if point_format > 5 else "1.3" if point_format > 3 else "1.2"
    header = laspy.LasHeader(point_format=point_format, version=version)
    header.scales, header.offsets = (0.01, 0.001, 0.0001), (636000, 4850000, 0)
    header.vlrs.append(laspy.VLR("a user", 7, "a record", b"its data"))
    if extra:
        header.add_extra_dim(laspy.ExtraBytesParams("weight", "f8"))
        header.add_extra_dim(laspy.ExtraBytesParams("label", "u1"))
    points = laspy.ScaleAwarePointRecord.zeros(count, header=header)
    rows = points.array.view("u1").reshape(count, points.array.itemsize) if count else points.array
    rows[...] = random.integers(0, 256, rows.shape, "u1") if count else rows
    for axis, step in zip("XYZ", (40, 3, 1000)):
        points.array[axis] = numpy.cumsum(random.integers(-step, step + 1, count))
    points.array["user_data"] = 7  # a field that does not change is left out of a chunk
    for name in {"gps_time", "weight"} & set(points.array.dtype.names):
        points.array[name] = numpy.sort(random.uniform(0, 1e6, count))
    cloud = laspy.LasData(header, points=points)
    for extension in "las", "laz":
        cloud.write(f"{path}.{extension}")


def make_chunks_of_any_size(path, sizes):
    """PATH.las again as LAZ with chunks of these sizes, as COPC has them; what is left is the last one."""
    data = pathlib.Path(f"{path}.las").read_bytes()
    with laspy.open(f"{path}.las") as reader:
        header, rows = reader.header, reader.read().points.array
    record = lazrs.LazVlr.new_for_compression(header.point_format.id, header.point_format.num_extra_bytes, True)
    content = bytes(record.record_data())
    head = bytearray(data[:header.offset_to_point_data])
    head += struct.pack("<H16sHH32s", 0, b"laszip encoded", 22204, len(content), b"") + content
    struct.pack_into("<II", head, 96, len(head), len(header.vlrs) + 1)
    head[104] |= 128
    with open(f"{path}_any.laz", "wb") as file:
        file.write(head)
        compressor = lazrs.LasZipCompressor(file, record)
        for part in numpy.split(rows, numpy.cumsum(sizes)):
            compressor.compress_many(numpy.frombuffer(part.tobytes(), "u1"))
            compressor.finish_current_chunk()
        compressor.done()
    pathlib.Path(f"{path}_any.las").write_bytes(data)


def make_clouds(folder):
    for point_format in range(4):
        for count in SIZES:
            make_cloud(folder / f"f{point_format}_{count}", point_format, count, extra=point_format % 2 == 1)
    for point_format in 6, 7, 8:
        for count in SIZES:
            make_cloud(folder / f"f{point_format}_{count}", point_format, count, extra=point_format < 8)
    for point_format in 4, 5:
        make_cloud(folder / f"f{point_format}_50001", point_format, 50_001, extra=True)
    for point_format in 9, 10:  # lazrs 0.8.2 does not read the waveforms that it writes
        make_cloud(folder / f"waves{point_format}", point_format, 50_001, extra=True)
    make_chunks_of_any_size(folder / "f6_50001", (1, 2, 700))


def check_written(folder):
    """What laspy reads of the files that kann has written. lazrs has its own view of waveforms in LAZ."""
    files = sorted(folder.glob("f*.written"))
    assert len(files) > 20, files
    for file in files:
        with open(file, "rb") as compressed, open(folder / f"{file.stem}.las", "rb") as plain:
            got, expected = laspy.read(compressed), laspy.read(plain)
        assert got.points.array.tobytes() == expected.points.array.tobytes(), file
        records = [record.user_id for record in got.header.vlrs if record.user_id != "laszip encoded"]
        assert records == [record.user_id for record in expected.header.vlrs], file


if __name__ == "__main__":
    if "--inside" not in sys.argv:
        program, kept = sys.argv[1], pathlib.Path(sys.argv[2]).absolute()
        python = environment(kept / "environment")
        clouds = kept / "clouds"
        clouds.mkdir(parents=True, exist_ok=True)
        for old in clouds.iterdir():
            old.unlink()
        run(python, __file__, "--inside", "make_clouds", clouds)
        run(program, "--gtest_brief=1", env={**os.environ, "KANN_LAZ_FOLDER": str(clouds)})
        run(python, __file__, "--inside", "check_written", clouds)
        sys.exit()
    import struct

    import laspy
    import lazrs
    import numpy

    globals()[sys.argv[2]](pathlib.Path(sys.argv[3]))
