"""The figures of the documentation from the results of scripts/bench; scripts/plot --bench calls draw_all()."""

import pathlib

import matplotlib.pyplot
import matplotlib.ticker

from bench_results import best, load, select

INK, FAINT = "#e6edf3", "#30363d"
OURS = {"shifted-sort": ("#58a6ff", "kann, shifted sort"), "exact": ("#3fb950", "kann, exact"),
        "paper": ("#d29922", "kann --method paper")}
OTHERS = ["#bc8cff", "#ff7b72", "#a5d6ff", "#ffa657"]
PEER_MARKS = ["o", "s", "^", "D"]
SHIFT_COLOURS = {1: "#8b949e", 3: "#58a6ff", 5: "#3fb950", 7: "#d29922", 9: "#ff7b72"}
CLOUDS = ("uniform", "surface", "clusters")
MINIMUM_MISS = 1e-5  # on the axis of recall, 1 − recall below this is drawn as recall 1


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
        axes.legend(loc=legend, frameon=False, fontsize=8.5, labelcolor=INK, handlelength=3)


def legend_below(figure, panels, columns):
    """One legend for all panels, below them; a label that several panels have appears once."""
    named = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            named.setdefault(label, handle)
    rows = -(-len(named) // columns)
    figure.tight_layout(rect=(0, (0.1 + 0.19 * rows) / figure.get_figheight(), 1, 1))
    figure.legend(named.values(), named.keys(), loc="lower center", ncol=columns, frameon=False, fontsize=9,
                  labelcolor=INK, handlelength=3.2, columnspacing=2.5)


def log_axis(axis, base):
    """Labels a logarithmic axis with 0.01, 1, 10, 100, or with powers of two."""
    if base == 2:
        axis.set_major_locator(matplotlib.ticker.LogLocator(base=4, numticks=30))
        axis.set_major_formatter(matplotlib.ticker.FuncFormatter(
            lambda value, _: f"$2^{{{round(matplotlib.pyplot.np.log2(value))}}}$"))
    else:
        axis.set_major_formatter("{x:g}")
    axis.set_minor_locator(matplotlib.ticker.NullLocator())


def points_of_peers(axes, targets, cloud, k, x, apart=1.0):
    """The times of the peers at 2^23 and one k, as points; with k None over k, displaced by a factor of `apart`."""
    points = {}
    for record in select(targets, group="peers", cloud=cloud):
        if "alone" in record["peer"] or (k and record["k"] != k):
            continue
        points.setdefault(record["peer"], []).append((x(record), record["ms"]))
    for i, ((peer, places), mark, colour) in enumerate(zip(points.items(), PEER_MARKS, OTHERS)):
        axes.plot(*zip(*((place * apart ** (i - 1), ms) for place, ms in places)), mark, color=colour,
                  markersize=7, markeredgecolor=FAINT, label=f"{peer}, exact")


def cpu_threads(records):
    """The name of a CPU in a legend."""
    threads = {record["threads"] for record in records if record.get("threads")}
    return " or ".join(f"{count} CPU thread{'s' if count > 1 else ''}" for count in sorted(threads)) or "CPU"


def time_against_n(results):
    """Left: kann at k = 8 and the peers; right: Park 2017, Table 1, k = 4."""
    targets, park = results.get("bench_targets"), results.get("bench_park_tables")
    if not select(targets, group="scaling") and not select(park, table="table1", device="cuda"):
        return None
    figure, (left, right) = matplotlib.pyplot.subplots(1, 2, figsize=(12, 5), sharey=True)
    size = lambda record: 2 ** record["log2"]
    for method in ("shifted-sort", "exact"):
        line(left, select(targets, group="scaling", method=method), size, *OURS[method])
    points_of_peers(left, targets, "uniform", 8, size)
    line(right, select(park, table="table1", what="paper", device="published"), size, "#8b949e",
         "Park 2017, GTX Titan X", "--")
    device = "cuda" if select(park, table="table1", device="cuda") else "cpu"
    for method in ("paper", "shifted-sort", "exact"):
        line(right, select(park, table="table1", what=method, device=device, k=4), size, *OURS[method])
    if device == "cuda":
        labels = {"nanoflann": "nanoflann", "ann": "ANN", "shifted-sort": "kann, shifted sort", "exact": "kann, exact"}
        for colour, (what, label) in zip(OTHERS, labels.items()):
            records = select(park, table="table1", what=what, device="cpu", k=4)
            line(right, records, size, colour, f"{label}, {cpu_threads(records)}", ":")
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        log_axis(axes.xaxis, 2)
        log_axis(axes.yaxis, 10)
    name = (targets or park)["device"]["name"]
    finish(left, f"uniform, k = 8, {name}", "n points and as many queries")
    finish(right, f"uniform, k = 4 (Park's Table 1), {name} unless named", "n points and as many queries", "")
    right.tick_params(labelleft=True)
    return figure


def recall_against_time(results):
    recall = results.get("bench_recall")
    clouds = [cloud for cloud in CLOUDS if select(recall, what="sweep", cloud=cloud, k=8)]
    if not clouds:
        return None
    figure, panels = matplotlib.pyplot.subplots(1, len(clouds), figsize=(4.1 * len(clouds), 5.2), sharey=True,
                                                squeeze=False)
    miss = lambda value: max(1 - value, MINIMUM_MISS)
    for axes, cloud in zip(panels[0], clouds):
        for shifts, colour in SHIFT_COLOURS.items():
            curve = sorted((record["window"], best(record), record["recall"])
                           for record in select(recall, what="sweep", cloud=cloud, k=8, shifts=shifts, default=False))
            if curve:
                windows, ms, recalls = zip(*curve)
                axes.plot(ms, [miss(value) for value in recalls], "o-", color=colour, markersize=3.5,
                          linewidth=1.6, label=f"S = {shifts}, W = {windows[0]} … {windows[-1]}")
        for record in select(recall, what="sweep", cloud=cloud, k=8, default=True):
            label = f"the default: S = {record['shifts']}, W = {record['window']}" if record["shifts"] else "exact"
            axes.plot(best(record), miss(record["recall"]), "*", color=INK, markersize=13, linestyle="none", zorder=5,
                      label=label)
        axes.axhline(0.03, color=INK, linewidth=0.8, linestyle=":", label="recall that the default aims at: .97")
        axes.set_yscale("log")
        axes.set_ylim(0.8, MINIMUM_MISS / 1.6)
        axes.set_yticks([0.5, 0.1, 0.03, 0.01, 0.001, 0.0001, MINIMUM_MISS],
                        [".5", ".9", ".97", ".99", ".999", ".9999", "1"])
        axes.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())
        axes.set_xlim(left=0)
        points = select(recall, what="sweep", cloud=cloud)[0]["points"]
        finish(axes, f"{cloud}, {points:,} points, k = 8", f"ms, {recall['device']['name']}",
               "recall" if axes is panels[0][0] else "", None)
    legend_below(figure, panels[0], 3)
    return figure


def time_against_k(results):
    """One panel per cloud with kann and the peers; last panel: Park 2017, Table 2."""
    targets, park = results.get("bench_targets"), results.get("bench_park_tables")
    clouds = [cloud for cloud in CLOUDS if select(targets, group="clouds", cloud=cloud)]
    tables = 1 if select(park, table="table2") else 0
    if not clouds and not tables:
        return None
    columns = len(clouds) + tables
    figure, panels = matplotlib.pyplot.subplots(1, columns, figsize=(3.1 * columns, 5.4), squeeze=False)
    panels = panels[0]
    of_k = lambda record: record["k"]
    exponent = lambda content, **wanted: f"$2^{{{max(r['log2'] for r in select(content, **wanted))}}}$"
    for axes, cloud in zip(panels, clouds):
        for method in ("shifted-sort", "exact"):
            line(axes, select(targets, group="clouds", cloud=cloud, method=method, self_query=False), of_k,
                 *OURS[method])
        points_of_peers(axes, targets, cloud, None, of_k, 1.07)
        finish(axes, f"{cloud}, {exponent(targets, group='clouds', cloud=cloud)} points,\n"
               f"{targets['device']['name']}", "k", "ms" if axes is panels[0] else "", None)
    if tables:
        axes = panels[-1]
        line(axes, select(park, table="table2", device="published"), of_k, "#8b949e", "Park 2017, GTX Titan X", "--")
        device = "cuda" if select(park, table="table2", device="cuda") else "cpu"
        for method in ("paper", "shifted-sort", "exact"):
            line(axes, select(park, table="table2", what=method, device=device), of_k, *OURS[method])
        peer = select(park, table="table2", what="nanoflann")
        line(axes, peer, of_k, OTHERS[3], f"nanoflann, {cpu_threads(peer)}", ":")
        finish(axes, f"Park's Table 2: uniform,\n{exponent(park, table='table2')} points, "
               f"{park['device']['name']}", "k", "", None)
    for axes in panels:
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        log_axis(axes.yaxis, 10)
        axes.set_xticks([4, 8, 16] if axes in panels[:len(clouds)] else [2, 4, 8, 16])
    if clouds:  # the same scale for all clouds, so that they can be compared
        scales = [axes.get_ylim() for axes in panels[:len(clouds)]]
        for axes in panels[:len(clouds)]:
            axes.set_ylim(min(low for low, _ in scales), max(high for _, high in scales))
            axes.set_xlim(3.4, 19)
    legend_below(figure, panels, 3)
    return figure


def draw_all(folders, output, style):
    """Writes one SVG file per figure to the folder `output`; returns the paths."""
    results = load(*folders)
    written = []
    for draw in (time_against_n, recall_against_time, time_against_k):
        with matplotlib.pyplot.rc_context(style):
            figure = draw(results)
            if figure is None:
                continue
            if not figure.legends:
                figure.tight_layout()
            path = pathlib.Path(output) / f"{draw.__name__}.svg"
            figure.savefig(path, metadata={"Date": None})
            matplotlib.pyplot.close(figure)
            written.append(path)
    return written
