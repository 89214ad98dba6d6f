"""Makes searches in every way, and compares the bytes."""

import dataclasses
import re

from scaling.program import Failed, Search, Way, exceeds

SHARES = (1, .5, .25, .1)  # of what a search in memory takes


def name_of(query):
    return query.stem if query else "self"


def reference(program, search):
    """The run in memory with which all others are compared, and its record."""
    run = program.good(search, Way())
    if run.tiles:
        raise Failed(f"in {run.tiles} tiles without --max-memory: {run.command}")
    queries, points = map(int, re.search(r"(\d+) quer\w+ x \d+ neighbours? among (\d+)",
                                         run.message.replace(",", "")).groups())
    return run, {"what": "bytes", "cloud": search.data.stem, "points": points, "query": name_of(search.query),
                 "queries": queries, "self_query": search.query is None, "k": search.k,
                 "sha256": program.hash(), "seconds": run.seconds, "peak_bytes": run.peak, "ways": {}}


def outcome(program, run, way, wanted):
    found = program.hash()
    return {"budget_bytes": way.budget, "tiles": run.tiles, "seconds": run.seconds, "peak_bytes": run.peak,
            "sha256": found, "same": found == wanted, "command": run.command,
            "over": exceeds(run.peak, way)}


def compare(program, search, ranks, devices):
    """The record of a search, with the outcome of each way by its name."""
    run, record = reference(program, search)
    wanted, ways = record["sha256"], record["ways"]
    peak = run.peak

    def take(name, way):
        try:
            ways[name] = outcome(program, program.good(search, way), way, wanted)
        except Failed as failure:
            ways[name] = {"failed": str(failure), "same": False, "over": False}

    def take_smallest(name, way):
        run, way, refused = program.smallest(search, way)
        ways[name] = outcome(program, run, way, wanted) | {"named_budget_refused": refused}
        return way

    smallest = take_smallest("smallest", Way())
    for share in SHARES:
        budget = round(share * peak)
        if budget > smallest.budget:
            take(f"{share:.0%}", Way(budget=budget))
        else:
            ways[f"{share:.0%}"] = ways["smallest"] | {"smallest": True}
    for count in ranks:
        take(f"{count} rank{'s' * (count > 1)}", Way(ranks=count, threads=1))
        if count > 1:
            take_smallest(f"{count} ranks, smallest", Way(ranks=count, threads=1))
    for device in devices:
        take(device, Way(device=device))
        take(f"{device}, 25%", dataclasses.replace(smallest, device=device, budget=max(smallest.budget, peak // 4)))
        for count in ranks:
            if count > 1:
                take(f"{count} ranks, {device}", Way(ranks=count, device=device))
    return record


def searches(clouds, k):
    """All searches in the pairs of (data, query)."""
    for data, query in clouds:
        yield Search(data, None, k)
        if query:
            yield Search(data, query, k)


def wrong_ways(records):
    """(what is wrong, the command that shows it): other bytes, and searches that fail."""
    for record in records:
        for name, way in record.get("ways", {}).items():
            of = f"{record['cloud']}, {record['query']}, {name}"
            if "failed" in way:
                yield f"{of}: failed", way["failed"]
            elif not way["same"]:
                yield f"{of}: other bytes", way["command"]


def remarks(records):
    """(remark, the command that shows it): more memory than the budget, and a smallest budget that is refused."""
    for record in records:
        ways = record.get("ways") or {record["what"]: record}
        for name, way in ways.items():
            of = f"{record['cloud']}, {record['points']} points, k = {record['k']}, {name}"
            if way.get("over") and not way.get("smallest"):
                yield f"{of}: {way['peak_bytes']} bytes of a budget of {way['budget_bytes']}", way["command"]
            if way.get("named_budget_refused") and not way.get("smallest"):
                yield f"{of}: the budget that is named as the smallest is refused", way["command"]
