"""The figures of the README from the results of scripts/bench; scripts/plot --bench calls draw_all()."""

import json
import pathlib

import matplotlib.pyplot
import matplotlib.ticker

INK, FAINT = "#e6edf3", "#30363d"
OURS = {"fused": ("#58a6ff", "kann, shifted sort"), "exact": ("#3fb950", "kann --exact"),
        "paper": ("#d29922", "kann --pipeline paper")}
OTHERS = ["#bc8cff", "#ff7b72", "#a5d6ff", "#ffa657"]
PEER_MARKS = ["o", "s", "^", "D"]
SHIFT_COLOURS = {1: "#8b949e", 3: "#58a6ff", 5: "#3fb950", 7: "#d29922", 9: "#ff7b72"}
CLOUDS = ("uniform", "surface", "clusters")


# What a record measured; the rest of it is what came out.
IDENTITY = ("table", "group", "what", "cloud", "scan", "peer", "method", "log2", "points", "k", "shifts", "window",
            "default", "self_query", "device", "threads")


def load(folder):
    """By benchmark, one object with the records of all files: a run may have been made in parts. The later one counts."""
    contents = []
    for path in folder.glob("*.json"):
        try:
            content = json.loads(path.read_text())
        except ValueError:
            continue
        if isinstance(content, dict) and content.get("records"):
            contents.append(content)
    found = {}
    for content in sorted(contents, key=lambda content: content["date"]):
        merged = found.setdefault(content["benchmark"], {"device": content["device"], "records": {}})
        for record in content["records"]:
            merged["records"][tuple(record.get(key) for key in IDENTITY)] = record
    return {name: {**merged, "records": list(merged["records"].values())} for name, merged in found.items()}


def select(content, **wanted):
    records = content["records"] if content else []
    return [record for record in records if all(record.get(key) == value for key, value in wanted.items())]


def best(record):
    return record["ms"]["best"] if isinstance(record["ms"], dict) else record["ms"]


def line(axes, records, x, colour, label, style="-"):
    points = sorted((x(record), best(record)) for record in records)
    if points:
        axes.plot(*zip(*points), style, color=colour, label=label, linewidth=1.8, markersize=4,
                  marker="o" if len(points) < 12 else None)


def finish(axes, title, xlabel, ylabel="ms", legend="upper left"):
    axes.set_title(title)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.grid(linewidth=0.4)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if legend and axes.get_legend_handles_labels()[0]:
        axes.legend(loc=legend, frameon=False, fontsize=8.5, labelcolor=INK)


def log_axis(axis, base):
    """1, 10, 100 and 0.01, or powers of two."""
    if base == 2:
        axis.set_major_locator(matplotlib.ticker.LogLocator(base=4, numticks=30))
        axis.set_major_formatter(matplotlib.ticker.FuncFormatter(
            lambda value, _: f"$2^{{{round(matplotlib.pyplot.np.log2(value))}}}$"))
    else:
        axis.set_major_formatter("{x:g}")
    axis.set_minor_locator(matplotlib.ticker.NullLocator())


def points_of_peers(axes, targets, cloud, k, x):
    """The peers' figures of one k at 2^23, as points; with k None, over k."""
    points = {}
    for record in select(targets, group="peers", cloud=cloud):
        if "alone" in record["peer"] or (k and record["k"] != k):
            continue
        points.setdefault(record["peer"], []).append((x(record), record["ms"]))
    for (peer, places), mark, colour in zip(points.items(), PEER_MARKS, OTHERS):
        axes.plot(*zip(*places), mark, color=colour, markersize=7, markeredgecolor=FAINT, label=f"{peer}, exact")


def time_against_n(results):
    """Left: ours at k = 8 and the peers; right: Park's Table 1, k = 4."""
    targets, park = results.get("bench_targets"), results.get("bench_park_tables")
    if not select(targets, group="scaling") and not select(park, table="table1", device="cuda"):
        return None
    figure, (left, right) = matplotlib.pyplot.subplots(1, 2, figsize=(12, 5), sharey=True)
    size = lambda record: 2 ** record["log2"]
    for method in ("fused", "exact"):
        line(left, select(targets, group="scaling", method=method), size, *OURS[method])
    points_of_peers(left, targets, "uniform", 8, size)
    line(right, select(park, table="table1", what="paper", device="published"), size, "#8b949e",
         "Park 2017, GTX Titan X", "--")
    device = "cuda" if select(park, table="table1", device="cuda") else "cpu"
    for method in ("paper", "fused", "exact"):
        line(right, select(park, table="table1", what=method, device=device, k=4), size, *OURS[method])
    if device == "cuda":
        labels = {"nanoflann": "nanoflann, CPU", "ann": "ANN, one CPU thread", "fused": "kann, shifted sort, CPU",
                  "exact": "kann --exact, CPU"}
        for colour, (what, label) in zip(OTHERS, labels.items()):
            line(right, select(park, table="table1", what=what, device="cpu", k=4), size, colour, label, ":")
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        log_axis(axes.xaxis, 2)
        log_axis(axes.yaxis, 10)
    finish(left, f"k = 8, uniform, on {(targets or park)['device']['name']}", "n points and as many queries")
    finish(right, "k = 4, uniform: Park's Table 1", "n points and as many queries", "")
    right.tick_params(labelleft=True)
    return figure


def recall_against_time(results):
    recall = results.get("bench_recall")
    clouds = [cloud for cloud in CLOUDS if select(recall, what="sweep", cloud=cloud, k=8)]
    if not clouds:
        return None
    figure, panels = matplotlib.pyplot.subplots(1, len(clouds), figsize=(4.1 * len(clouds), 4.6), sharey=True,
                                                squeeze=False)
    for axes, cloud in zip(panels[0], clouds):
        for shifts, colour in SHIFT_COLOURS.items():
            curve = sorted((record["window"], best(record), record["recall"])
                           for record in select(recall, what="sweep", cloud=cloud, k=8, shifts=shifts, default=False))
            if curve:
                windows, ms, recalls = zip(*curve)
                axes.plot(ms, [max(1 - value, 1e-5) for value in recalls], "o-", color=colour, markersize=3.5,
                          linewidth=1.6, label=f"S = {shifts}, W = {windows[0]} … {windows[-1]}")
        for record in select(recall, what="sweep", cloud=cloud, k=8, default=True):
            axes.plot(best(record), max(1 - record["recall"], 1e-5), "*", color=INK, markersize=13,
                      label="default", linestyle="none", zorder=5)
        axes.axhline(0.03, color=INK, linewidth=0.8, linestyle=":")
        axes.set_yscale("log")
        axes.invert_yaxis()
        axes.set_yticks([0.5, 0.1, 0.03, 0.01, 0.001, 0.0001], [".5", ".9", ".97", ".99", ".999", ".9999"])
        axes.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())
        axes.set_xlim(left=0)
        points = select(recall, what="sweep", cloud=cloud)[0]["points"]
        finish(axes, f"{cloud}, {points:,} points, k = 8", "ms", "recall" if axes is panels[0][0] else "",
               "lower right" if axes is panels[0][-1] else None)
    return figure


def time_against_k(results):
    targets, park = results.get("bench_targets"), results.get("bench_park_tables")
    if not select(targets, group="clouds") and not select(park, table="table2"):
        return None
    figure, (left, right) = matplotlib.pyplot.subplots(1, 2, figsize=(12, 4.6))
    of_k = lambda record: record["k"]
    styles = dict(zip(CLOUDS, ("-", "--", ":")))
    for cloud, style in styles.items():
        for method in ("fused", "exact"):
            colour, label = OURS[method]
            line(left, select(targets, group="clouds", cloud=cloud, method=method, self_query=False), of_k, colour,
                 f"{label}, {cloud}", style)
    points_of_peers(left, targets, "uniform", None, of_k)
    line(right, select(park, table="table2", device="published"), of_k, "#8b949e", "Park 2017, GTX Titan X", "--")
    device = "cuda" if select(park, table="table2", device="cuda") else "cpu"
    for method in ("paper", "fused", "exact"):
        line(right, select(park, table="table2", what=method, device=device), of_k, *OURS[method])
    line(right, select(park, table="table2", what="nanoflann"), of_k, OTHERS[0], "nanoflann, CPU", ":")
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        log_axis(axes.yaxis, 10)
    left.set_xticks([4, 8, 16])
    right.set_xticks([2, 4, 8, 16])
    sizes = {record["log2"] for record in select(targets, group="clouds")} or {23}
    finish(left, f"$2^{{{max(sizes)}}}$ points and queries", "k")
    finish(right, "$2^{22}$ points and queries: Park's Table 2", "k", "")
    for axes, room in ((left, 80), (right, 10)):  # for the legend
        axes.set_ylim(top=axes.get_ylim()[1] * room)
    return figure


def draw_all(folder, output, style):
    """Writes one picture a figure into `output`; returns their paths."""
    results = load(pathlib.Path(folder))
    written = []
    for draw in (time_against_n, recall_against_time, time_against_k):
        with matplotlib.pyplot.rc_context(style):
            figure = draw(results)
            if figure is None:
                continue
            figure.tight_layout()
            path = pathlib.Path(output) / f"{draw.__name__}.svg"
            figure.savefig(path, metadata={"Date": None})
            matplotlib.pyplot.close(figure)
            written.append(path)
    return written
