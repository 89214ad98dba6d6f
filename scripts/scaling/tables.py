"""Writes the records as tables in Markdown."""


def table(head, rows):
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines) + "\n"


def count(value):
    return "–" if value is None else f"{value:,}"


def megabytes(value):
    return "–" if value is None else f"{value / 1e6:,.1f}"


def seconds(record):
    ms = record["ms"]
    return f"{ms['best'] / 1e3:.2f} ({ms['worst'] / 1e3:.2f})"


def cell(way):
    """E.g. "same, 24 tiles"; an asterisk where the budget was too small, and the smallest was taken."""
    if way is None:
        return "–"
    if "failed" in way:
        return "**failed**"
    words = "same" if way["same"] else "**differs**"
    if way["tiles"]:
        words += f", {way['tiles']:,}"
    if way["over"]:
        words += " (over)"
    return words + ("*" if way.get("smallest") else "")


def bytes_table(records, skipped):
    names = list(dict.fromkeys(name for record in records for name in record["ways"]))
    rows = [[record["cloud"], count(record["points"]), record["query"],
             megabytes(record["peak_bytes"]), *(cell(record["ways"].get(name)) for name in names)]
            for record in records]
    title = (f"Bytes of each answer, k = {records[0]['k']}, compared with those of the search in memory on the CPU;"
             " after the comma, the number of tiles. Budgets are shares of the memory that it takes, by the system"
             " (MB); *: less than the smallest that works, which was taken.\n\n")
    return title + table(["data", "points", "queries", "in memory", *names], rows) + "".join(
        f"\n{words}\n" for words in skipped)


def budget(record):
    if record["budget_bytes"] is None:
        return "in memory"
    share = f"{record['share']:.0%}, " if record.get("share") else ""
    return share + megabytes(record["budget_bytes"]) + ("*" if record.get("smallest") else "")


COST_HEAD = ["points", "budget, MB", "peak, MB", "s, best (worst)", "tiles", "visits", "temporary, MB"]


def cost_row(record):
    return [count(record["points"]), budget(record), megabytes(record["peak_bytes"]),
            seconds(record), count(record["tiles"]), count(record["visits"]), megabytes(record["temporary_bytes"])]


def sizes_table(records):
    return ("By the number of points: in memory, and with half of that or (*) the smallest budget that works.\n\n" +
            table(COST_HEAD, map(cost_row, records)))


def budgets_table(records):
    return "By the budget.\n\n" + table(COST_HEAD, map(cost_row, records))


def ranks_table(records, cores):
    rows = [[count(record["points"]), count(record["ranks"]), seconds(record),
             "–" if record["start_ms"] is None else f"{record['start_ms'] / 1e3:.2f}", f"{record['efficiency']:.2f}",
             megabytes(record["peak_bytes"]), count(record["visits"]), megabytes(record["temporary_bytes"])]
            for record in records]
    return (f"By ranks of one thread each, on {cores} cores; efficiency is T1 / (P TP), with the time of one process"
            " without mpirun. `start` is what mpirun takes to start and end as many ranks that do nothing.\n\n" +
            table(["points", "ranks", "s, best (worst)", "start, s", "efficiency", "peak of a rank, MB",
                   "visits", "temporary, MB"], rows))


def smallest_table(records):
    k_values = list(dict.fromkeys(record["k"] for record in records))
    found = {}
    for record in records:
        found.setdefault(record["points"], {})[record["k"]] = record
    rows = [[count(points)] +
            [f"{megabytes(of_k[k]['budget_bytes'])} ({megabytes(of_k[k]['peak_bytes'])})" for k in k_values]
            for points, of_k in found.items()]
    return ("The smallest budget that works, MB, and in brackets what it took, by the system.\n\n" +
            table(["points", *(f"k = {k}" for k in k_values)], rows))


def rate_table(records):
    rows = [[count(record["points"]), count(record["queries"]), budget(record),
             megabytes(record["peak_bytes"]), seconds(record), count(record["tiles"]),
             megabytes(record["temporary_bytes"]), f"{record['queries_per_second']:,}",
             f"{record['extrapolated']['seconds'] / 3600:.1f}"] for record in records]
    return ("Many queries. The last column is **extrapolated** to 10¹⁰ queries at the same rate, and was not measured."
            "\n\n" + table(["points", "queries", "budget, MB", "peak, MB", "s, best (worst)", "tiles",
                            "temporary, MB", "queries/s", "hours for 10¹⁰"], rows))
