"""The clouds of cases.txt: clusters, copies of points, points far from all others, lattices, text."""
import os
import sys

try:
    import numpy as np
except ImportError:
    # The numpy of the system belongs to its own Python
    system = "/usr/bin/python3"
    if os.path.realpath(sys.executable) == os.path.realpath(system) or not os.path.exists(system):
        print("SKIPPED: no numpy")
        sys.exit(77)
    os.execv(system, [system, *sys.argv])

FEW, MANY, STARS = 30_000, 100_000, 40_000
CLUSTERED = {"few.ply": (1, FEW), "many.ply": (2, MANY), "far.ply": (3, FEW), "wide.npy": (5, FEW)}  # seed, points
TYPES = [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("height", "<f4"), ("kind", "u1"), ("number", "<i4")]
NAMES = {"<f4": "float", "u1": "uchar", "<i4": "int"}
TREES = ("oak", '"elm, old"', '"""ash"""', "")


def write_ply(path, rows):
    head = "ply\nformat binary_little_endian 1.0\nelement vertex %d\n" % len(rows)
    head += "".join(f"property {NAMES[kind]} {name}\n" for name, kind in TYPES) + "end_header\n"
    path.write_bytes(head.encode() + rows.tobytes())


def clustered(name):
    """Clusters, copies of points, some that are far away, and attributes."""
    seed, count = CLUSTERED[name]
    r = np.random.default_rng(seed)
    rows = np.zeros(count, TYPES)
    centres = r.random((50, 3))
    points = centres[r.integers(0, 50, count)] + r.normal(0, .01, (count, 3))
    points[::97] = points[0]
    points[::1013] += 5
    for axis, name in enumerate("xyz"):
        rows[name] = points[:, axis]
    rows["height"] = np.sin(7 * points[:, 0]) + points[:, 2]
    rows["kind"] = r.integers(0, 5, count)
    rows["number"] = r.integers(-2**31, 2**31 - 1, count)
    return rows


def write_table(path, names, *columns):
    """The last row of the first column is text, as that of no row before it."""
    lines = [",".join(map(str, row)) for row in zip(*columns)]
    path.write_text("\n".join([",".join(names), *lines[:-1], f"x{lines[-1]}"]) + "\n", encoding="utf-8")


def write_formats(folder, rows):
    """One cloud in the formats whose rows can be found."""
    points = np.stack([rows[axis] for axis in "xyz"], 1)
    count, floats = len(points), points.tobytes()
    lines = "".join(f"{x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in points.tolist())
    ply = f"element vertex {count}\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
    ply += "property list uchar int i\nend_header\n"
    pcd = f"VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {count}\nHEIGHT 1\nPOINTS {count}\nDATA "
    table = "".join(f"{i % 5},{line}\n" for i, line in enumerate(lines.replace(" ", ",").split("\n")[:-1]))
    np.save(folder / "columns.npy", np.asfortranarray(points))
    for name, content in (("lines.xyz", lines), ("backwards.csv", "class,z,y,x\n" + table),
                          ("ascii.ply", f"ply\nformat ascii 1.0\n{ply}{lines}3 0 1 2\n"), ("ascii.pcd", f"{pcd}ascii\n{lines}")):
        (folder / name).write_text(content)
    rest = np.zeros(count, "<u4")
    for name, content in (("rows.fvecs", b"".join(b"\3\0\0\0" + row.tobytes() for row in points)),
                          ("rows.fbin", np.array([count, 3], "<u4").tobytes() + floats),
                          ("frame.kitti", np.c_[points, rest.view("<f4")].tobytes()),
                          ("faces.ply", b"ply\nformat binary_little_endian 1.0\n" + ply.encode() + floats + b"\1\7\0\0\0"),
                          ("binary.pcd", pcd.encode() + b"binary\n" + floats)):
        (folder / name).write_bytes(content)


def make_clouds(folder):
    """Writes all clouds, and returns their names."""
    for name in ("few.ply", "many.ply"):
        write_ply(folder / name, clustered(name))
    far = clustered("far.ply")
    far["x"] += 100
    write_ply(folder / "far.ply", far)
    write_ply(folder / "none.ply", far[:0])
    write_ply(folder / "two.ply", far[:2])

    holes = clustered("many.ply")
    holes["y"][7::999] = np.nan
    write_ply(folder / "holes.ply", holes)
    with open(folder / "holes.ply", "ab") as file:
        file.write(b"more than the header tells")

    r = np.random.default_rng(4)
    np.save(folder / "clump.npy", np.where(np.arange(FEW)[:, None] % 3, .5, r.random((FEW, 3))).astype("f4"))
    np.save(folder / "same.npy", np.full((FEW, 3), 1.5, "f4"))
    places = np.arange(FEW)
    np.save(folder / "lattice.npy", np.stack([places % 30, places // 30 % 30, places // 900], 1).astype("f4"))
    rows = clustered("wide.npy")
    np.save(folder / "wide.npy", np.stack([rows[axis] * 1e3 + 5e5 for axis in "xyz"], 1, dtype="f8"))
    np.save(folder / "uniform.npy", r.uniform(-1, 2, (FEW // 2, 3)).astype("f4"))
    np.save(folder / "huge.npy", np.stack([rows[axis] * np.float64(1e43) for axis in "xyz"], 1))
    tiny = r.random((FEW, 3)) * 1e-160  # squares of such distances vanish
    tiny[::3] = tiny[0]
    np.save(folder / "tiny.npy", tiny)
    around = r.normal(0, 1, (FEW, 3))
    np.save(folder / "around.npy", (1000 * around / np.sqrt((around**2).sum(1, keepdims=True))).astype("f4"))
    write_formats(folder, rows)

    for name, count in (("stars.csv", FEW // 3), ("sources.csv", STARS)):
        angles = [np.round(r.uniform(low, high, count), 4) for low, high in ((0, 360), (-90, 90))]
        write_table(folder / name, ("name", "ra", "dec", "kind"), range(count), *angles, r.integers(0, 4, count))
    for name, count in (("trees.csv", 2 * FEW), ("sensors.csv", FEW)):
        write_table(folder / name, ("code", "x", "y", "z", "tree"), (f"{i:08}" for i in r.integers(0, 7001, count)),
                    *np.round(r.random((3, count)), 5), (TREES[i % 4] for i in range(count)))
    return {path.name for path in folder.iterdir()}
