"""Reads and writes results of measurements: for scripts/bench, for the figures (bench_figures.py), the tables (tables)
and the other scripts that have --json."""

import json
import pathlib

# The keys that identify a measurement; the other keys of a record are its outcome.
IDENTITY = ("table", "group", "what", "cloud", "scan", "peer", "method", "log2", "points", "k", "shifts", "window",
            "default", "self_query", "device", "threads", "step", "pixels", "n", "precision", "pivoting")


def text_of(content):
    """The object as JSON: a line for each member, and for each element of the arrays among them."""
    def text(value):
        return json.dumps(value, separators=(",", ":"))

    def member(value):
        return "[\n" + ",\n".join(map(text, value)) + "\n]" if isinstance(value, list) and value else text(value)

    return "{\n" + ",\n".join(f"{text(key)}:{member(value)}" for key, value in content.items()) + "\n}\n"


def load(*folders):
    """Per benchmark, the records of all files. A measurement that several files have counts in the latest of them, and the
    device is that of the latest file."""
    contents = []
    for path in (path for folder in folders for path in folder.glob("*.json")):
        try:
            content = json.loads(path.read_text())
        except ValueError:
            continue
        if isinstance(content, dict) and content.get("records"):
            contents.append(content)
    found = {}
    for content in sorted(contents, key=lambda content: content["date"]):
        merged = found.setdefault(content["benchmark"], {"runs": [], "records": {}, "targets": {}})
        merged["device"] = content["device"]
        merged["runs"].append((content["date"][:10], content.get("kann", {}).get("commit", "unknown")))
        for record in content["records"]:
            merged["records"][tuple(record.get(key) for key in IDENTITY)] = record
        for target in content.get("targets", []):
            merged["targets"][target["what"]] = target
    return {name: {**merged, "records": list(merged["records"].values()),
                   "targets": list(merged["targets"].values())} for name, merged in found.items()}


def select(content, **wanted):
    records = content["records"] if content else []
    return [record for record in records if all(record.get(key) == value for key, value in wanted.items())]


def best(record):
    return record["ms"]["best"] if isinstance(record["ms"], dict) else record["ms"]
