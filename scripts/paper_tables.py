"""The tables of docs/papers.md, for scripts/tables: published figures beside those of the programs that reproduce them."""

from bench_results import best, select

STEPS = ("none", "constant memory", "+ conditionals, division", "+ fixed block", "+ unrolled loops",
         "none, loops left to nvcc", "literal coefficients")
NOT_MEASURED = "Not measured."


def _table(headers, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [headers, ["---"] * len(headers), *rows])


def _three_digits(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def park(results):
    """Milliseconds: Table 1 of Park 2017 by the number of points, Table 2 by k; published times in the first columns."""
    records = select(results.get("bench_park_tables"))
    if not records:
        return NOT_MEASURED
    times = {(record["table"], record["log2"], record["k"], record["what"], record["device"]): _three_digits(best(record))
             for record in records}
    ways = [("paper", "published"), ("paper", "cuda"), ("shifted-sort", "cuda"), ("exact", "cuda")]
    ann = [("ann", "published"), ("ann", "cpu")]
    headers = ["published", "`--method paper`", "shifted sort", "exact"]
    sizes = sorted({log2 for table, log2, *_ in times if table == "table1"})
    lists = sorted({k for table, _, k, *_ in times if table == "table2"})
    first = [[f"2^{size}", *(times.get(("table1", size, 4, *way), "") for way in ways),
              *(times.get(("table1", size, 1, *way), "") for way in ann)] for size in sizes]
    second = [[str(k), *(times.get(("table2", 22, k, *way), "") for way in ways)] for k in lists]
    return (_table(["k = 4, ms; n", *headers, "ANN, k = 1, published", "here"], first) + "\n\n" +
            _table(["n = 2^22, ms; k", *headers], second))


def scans(results):
    """Milliseconds: the segmented scan beside the published times, and the single-pass scan beside CUB's."""
    records = select(results.get("bench_scans"))
    if not records:
        return NOT_MEASURED
    found = {(record["scan"], record["log2"]): record for record in records}
    rows = []
    for log2 in sorted({record["log2"] for record in records if record.get("published_ms")}):
        first = found["one element a thread", log2]
        times = [first["fill_and_scan_ms"]["best"], *(best(found[scan, log2]) for scan in
                 ("one element a thread", "1 vector")), first["copy_ms"]["best"], best(found["Kogge-Stone", log2]),
                 best(found["cub", log2])]
        rows.append([f"2^{log2}", f"{first['published_ms']:g}", *(f"{ms:.3f}" for ms in times)])
    return _table(["n", "published: fill and scan", "fill and scan", "scan, an element per thread",
                   "scan, 16 bytes per thread", "copy", "single-pass scan", "`cub::DeviceScan`"], rows)


def lu(results):
    """Milliseconds: a row per way, precision and pivoting, a column per size."""
    records = select(results.get("bench_lu"))
    if not records:
        return NOT_MEASURED
    sizes = sorted({record["n"] for record in records if record["n"] >= 1024})
    rows = {}
    for record in records:
        name = f"{record['what']}, {record['precision']}, {'with' if record['pivoting'] else 'without'} pivoting"
        rows.setdefault(name, {})[record["n"]] = f"{_three_digits(best(record))} ({_three_digits(record['gflop_per_s'])})"
    return _table(["LU, ms (Gflop/s)", *(f"n = {n}" for n in sizes)],
                  [[name, *(times.get(n, "") for n in sizes)] for name, times in rows.items()
                   if any(n in times for n in sizes)])


def sobel(results):
    """Milliseconds: a row per step of Table 5, a column per memory; in parentheses the published ones."""
    records = select(results.get("bench_sobel"))
    if not records:
        return NOT_MEASURED
    parts = []
    for pixels in dict.fromkeys(record["pixels"] for record in records):
        found = [record for record in records if record["pixels"] == pixels]
        times = {(record["what"], record["step"]): record for record in found}
        memories = list(dict.fromkeys(record["what"] for record in found if record["step"]))
        rows = []
        for step in STEPS:
            cells = [step]
            for memory in memories:
                record = times.get((memory, step))
                published = record and record["published_ms"]
                cells.append("" if not record else f"{best(record):.4f}" + (f" ({published:g})" if published else ""))
            rows.append(cells)
        others = "; ".join(f"{record['what']} {best(record):.4f}" for record in found if not record["step"])
        parts.append(_table([f"Sobel, {pixels}, ms (GTX 280)", *memories], rows) + f"\n\n{others}.")
    return "\n\n".join(parts)


def matvec(results):
    """Microseconds: a row per version, a column per size; the last column is the published one."""
    records = select(results.get("bench_matvec"))
    if not records:
        return NOT_MEASURED
    sizes = sorted({record["n"] for record in records})
    rows = []
    for name in dict.fromkeys(record["what"] for record in records):
        found = {record["n"]: record for record in records if record["what"] == name}
        published = next(iter(found.values()))["published_ms"]
        rows.append([name, *(f"{best(found[n]) * 1e3:.1f} ({found[n]['tb_per_s']:.2f})" if n in found else ""
                             for n in sizes), f"{published * 1e3:.1f}" if published else ""])
    return _table(["matrix × vector, µs (TB/s)", *(f"n = {n}" for n in sizes), "GTX 280"], rows)
