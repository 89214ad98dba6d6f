"""Makes point clouds as NPY files, on all cores, with nothing but Python's standard library.

A point depends on the cloud's name, on whether it is a query, and on its number, so that a file of n points begins with
the points of a smaller one, and every machine makes the same files.
"""

import array
import math
import multiprocessing
import os
import random

CHUNK = 1 << 16  # points made with one seed
BLOBS, PLACES = 1000, 100
FAR = 200  # one query in so many is far from all data


def uniform(r):
    return r.random(), r.random(), r.random()


def surface(r):
    """On a bumpy sphere."""
    z, angle = 2 * r.random() - 1, 2 * math.pi * r.random()
    ring = math.sqrt(1 - z * z)
    x, y = ring * math.cos(angle), ring * math.sin(angle)
    radius = 1 + .1 * math.sin(7 * x) * math.cos(5 * y)
    return radius * x, radius * y, radius * z


def clusters(r, centres):
    """In one of 1,000 Gaussian blobs."""
    x, y, z = centres[int(BLOBS * r.random())]
    return r.gauss(x, .01), r.gauss(y, .01), r.gauss(z, .01)


def clumps(r, centres):
    """Half of the points are on 100 places, and have thousands of duplicates."""
    return centres[int(PLACES * r.random())] if r.random() < .5 else uniform(r)


def maker(kind):
    centres = [uniform(r) for r in [random.Random("centres")] for _ in range(BLOBS)]
    return {"uniform": uniform, "surface": surface, "clusters": lambda r: clusters(r, centres),
            "clumps": lambda r: clumps(r, centres)}[kind]


KINDS = ("uniform", "surface", "clusters", "clumps")


def chunk_of(job):
    """Makes points number `begin` to `end` in their place of the file."""
    kind, path, is_query, offset, begin, end = job
    r, point = random.Random(f"{kind} {is_query} {begin}"), maker(kind)
    values = array.array("f")
    for i in range(begin, end):
        place = point(r)
        if is_query and i % FAR == 0:
            place = [c * 10 ** r.uniform(.5, 4) for c in place]
        values.extend(place)
    with open(path, "r+b") as file:
        file.seek(offset + 12 * begin)
        file.write(values.tobytes())


def make(kind, points, path, is_query=False):
    """Writes a cloud as an array of float32."""
    header = repr({"descr": "<f4", "fortran_order": False, "shape": (points, 3)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    head = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    path.write_bytes(head)
    jobs = [(kind, path, is_query, len(head), begin, min(points, begin + CHUNK)) for begin in range(0, points, CHUNK)]
    with multiprocessing.get_context("fork").Pool(min(len(jobs), os.cpu_count())) as pool:
        pool.map(chunk_of, jobs, chunksize=1)
    return path


def real_clouds(folder, suffixes=(".ply", ".npy", ".las", ".pcd")):
    """The point files of a folder, without those named orig_…, which are the sources of others."""
    return sorted(path for path in folder.iterdir() if path.suffix in suffixes and not path.name.startswith("orig_"))
