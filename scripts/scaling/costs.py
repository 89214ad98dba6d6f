"""Times searches by their size, budget and ranks. Times are those of runs without a report, which computes statistics;
what only the report says is taken from a run of its own."""

import dataclasses

from scaling.answers import SHARES
from scaling.program import Search, Way, exceeds

NEIGHBOURS = (1, 8, 32, 100)
LARGE = 10 ** 10  # queries, for which a time is extrapolated


def spread(seconds):
    """Best, median and worst in milliseconds, in the format of the bench programs."""
    ordered = sorted(seconds)
    ms = [round(1e3 * value, 3) for value in (ordered[0], ordered[len(ordered) // 2], ordered[-1])]
    return dict(zip(("best", "median", "worst"), ms), runs=len(seconds))


def measure(program, search, way, repeat):
    runs = [program.good(search, way) for _ in range(repeat)]
    report = program.report(search, way)
    tiles = report.get("tiles", {})
    peak = max(run.peak for run in runs)
    return {"cloud": search.data.stem, "points": report["data"]["points"], "queries": report["query"]["points"],
            "self_query": search.query is None, "k": search.k, "budget_bytes": way.budget,
            "ranks": way.ranks, "threads": report["device"].get("threads"), "device": report["device"]["name"],
            "ms": spread([run.seconds for run in runs]), "peak_bytes": peak,
            "over": exceeds(peak, way), "command": runs[0].command,
            "tiles": tiles.get("count"), "visits": tiles.get("visits"), "temporary_bytes": tiles.get("temporary_bytes"),
            "timing_s": report["timing_s"]}


def in_shares(program, search, way, repeat):
    """In memory, and with each budget that works; of those that are too small, the smallest that works."""
    whole = measure(program, search, way, repeat)
    yield whole | {"share": None}
    _, smallest, _ = program.smallest(search, way)
    for share in SHARES:
        budget = round(share * whole["peak_bytes"])
        if budget <= smallest.budget:
            yield measure(program, search, smallest, repeat) | {"share": share, "smallest": True}
            return
        yield measure(program, search, dataclasses.replace(way, budget=budget), repeat) | {"share": share}


def sizes(program, clouds, device, k, repeat):
    """In memory, and with half of that or the smallest budget that works, by the number of points."""
    for data in clouds:
        search, way = Search(data, None, k), Way(device=device)
        whole = measure(program, search, way, repeat)
        _, smallest, _ = program.smallest(search, way)
        budget = max(smallest.budget, whole["peak_bytes"] // 2)
        half = measure(program, search, dataclasses.replace(way, budget=budget), repeat)
        yield whole | {"what": "sizes", "share": None}
        yield half | {"what": "sizes", "share": .5, "smallest": budget == smallest.budget}


def budgets(program, data, device, k, repeat):
    for record in in_shares(program, Search(data, None, k), Way(device=device), repeat):
        yield record | {"what": "budgets"}


def ranks(program, data, counts, k, repeat):
    """By ranks of one thread each: the efficiency is T1 / (P TP), and T1 the time of one process without mpirun."""
    search = Search(data, None, k)
    alone = measure(program, search, Way(threads=1), repeat)
    yield alone | {"what": "ranks", "ranks": None, "start_ms": None, "efficiency": 1}
    for count in counts:
        start = min(program.call(["--version"], count).seconds for _ in range(repeat))
        record = measure(program, search, Way(ranks=count, threads=1), repeat)
        efficiency = alone["ms"]["best"] / (count * record["ms"]["best"])
        yield record | {"what": "ranks", "start_ms": round(1e3 * start, 3), "efficiency": round(efficiency, 4)}


def smallest(program, clouds, k_values=NEIGHBOURS):
    """The smallest budget that works, by the number of points and k."""
    for data in clouds:
        for k in k_values:
            run, way, refused = program.smallest(Search(data, None, k), Way())
            yield {"what": "smallest", "cloud": data.stem, "k": k, "self_query": True,
                   "points": int(data.stem.rsplit("-", 1)[1]), "budget_bytes": way.budget,
                   "peak_bytes": run.peak, "seconds": run.seconds, "tiles": run.tiles,
                   "over": exceeds(run.peak, way), "named_budget_refused": refused, "command": run.command}


def rate(program, data, query, device, k, repeat):
    """Many queries that stream through the tiles of the data: in memory, and with the smallest budget that works."""
    search = Search(data, query, k)
    run, least, _ = program.smallest(search, Way(device=device))
    for way in (Way(device=device), least):
        record = measure(program, search, way, repeat)
        per_second = record["queries"] / record["ms"]["best"] * 1e3
        yield record | {"what": "rate", "queries_per_second": round(per_second),
                        "extrapolated": {"queries": LARGE, "seconds": round(LARGE / per_second)}}
