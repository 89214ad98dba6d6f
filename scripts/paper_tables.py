"""The tables of docs/papers.md, for scripts/tables: published figures beside those of the programs that reproduce them."""

from bench_results import best, select

STEPS = ("none", "constant memory", "+ conditionals, division", "+ fixed block", "+ unrolled loops")
MEMORIES = ("global", "texture", "shared IV")
NOT_MEASURED = "Not measured."


def _table(headers, rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in [headers, *rows]]
    return "\n".join([lines[0], "|" + "---|" * len(headers), *lines[1:]])


def _three_digits(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def park(results):
    """Milliseconds: every second size of Table 1 of Park 2017, and Table 2 by k; published times in the first columns."""
    records = select(results.get("bench_park_tables"))
    if not records:
        return NOT_MEASURED
    times = {(record["table"], record["log2"], record["k"], record["what"], record["device"]): _three_digits(best(record))
             for record in records}
    ways = [("paper", "published"), ("paper", "cuda"), ("shifted-sort", "cuda"), ("exact", "cuda")]
    headers = ["published", "`--method paper`", "shifted sort", "exact"]
    sizes = sorted({log2 for table, log2, *_ in times if table == "table1"})[::2]
    lists = sorted({k for table, _, k, *_ in times if table == "table2"})
    first = [[f"2^{size}", *(times.get(("table1", size, 4, *way), "") for way in ways)] for size in sizes]
    second = [[str(k), *(times.get(("table2", 22, k, *way), "") for way in ways)] for k in lists]
    return _table(["k = 4, ms; n", *headers], first) + "\n\n" + _table(["n = 2^22, ms; k", *headers], second)


def scans(results):
    """Milliseconds: the segmented scan beside the published times, for every second of the published sizes."""
    records = select(results.get("bench_scans"))
    if not records:
        return NOT_MEASURED
    found = {(record["scan"], record["log2"]): record for record in records}
    rows = []
    for log2 in sorted({record["log2"] for record in records if record.get("published_ms")})[1::2]:
        first = found["one element a thread", log2]
        times = [first["fill_and_scan_ms"]["best"], best(first), best(found["1 vector", log2]), first["copy_ms"]["best"]]
        rows.append([f"2^{log2}", f"{first['published_ms']:g}", *(f"{ms:.3f}" for ms in times)])
    return _table(["ms; n", "fill and scan, published", "fill and scan", "scan, an element per thread",
                   "scan, 16 bytes per thread", "copy"], rows)


def lu(results):
    """Gflop/s in single precision: a row per way, and for the first and last of the paper's sizes a column without and one with
    pivoting."""
    records = [record for record in select(results.get("bench_lu")) if record["precision"] == "single" and record["n"] >= 1024]
    if not records:
        return NOT_MEASURED
    sizes = [record["n"] for record in records]
    columns = [(n, pivoting) for n in sorted({min(sizes), max(sizes)}) for pivoting in (False, True)]
    speeds = {(record["what"], record["n"], record["pivoting"]): _three_digits(record["gflop_per_s"]) for record in records}
    return _table(["LU, Gflop/s; n", *(f"{n}" + (", pivoting" if pivoting else "") for n, pivoting in columns)],
                  [[what, *(speeds.get((what, *column), "") for column in columns)]
                   for what in dict.fromkeys(record["what"] for record in records)])


def sobel(results):
    """Milliseconds for the paper's pixels, which are words: a row per step of its Table 5, a column per memory; in parentheses
    the published ones."""
    records = [record for record in select(results.get("bench_sobel")) if record["pixels"] == "words"]
    if not records:
        return NOT_MEASURED
    found = {(record["what"], record["step"]): record for record in records}
    memories = [memory for memory in MEMORIES if any(memory == what for what, _ in found)]
    rows = [[step, *(f"{best(found[memory, step]):.4f} ({found[memory, step]['published_ms']:g})"
                     if (memory, step) in found else "" for memory in memories)] for step in STEPS]
    return _table(["Sobel, ms (GTX 280)", *memories], rows)


def matvec(results):
    """Microseconds of the largest matrix: a row per version, but for those that vary the last; published times in the
    first column."""
    records = select(results.get("bench_matvec"))
    if not records:
        return NOT_MEASURED
    n = max(record["n"] for record in records)
    rows = []
    for record in select({"records": records}, n=n):
        if record["what"].startswith("the same"):
            continue
        published = record["published_ms"]
        rows.append([record["what"], f"{published * 1e3:.1f}" if published else "", f"{best(record) * 1e3:.1f}"])
    return _table(["matrix × vector, µs", "published", f"n = {n}"], rows)
