# SPDX-License-Identifier: Apache-2.0
"""Every kernel of a page of accuracy as a table, compressed CSV, that pandas reads: cycles are of all launches, what follows them is in percent."""
import csv
import io
import lzma

from applications.launches import SHOWN

HEAD = ("set", "kernel", "program", "size", "launches", "simulated", "measured", "low", "high", "active", *(counter.name for counter in SHOWN), "settings")


def beside(page):
    """Where the table of a page is."""
    return page.with_suffix(".csv.xz")


def _percent(value):
    return "" if value is None else "0" if value == 0 else f"{100 * value:+.1f}"


def _row(title, k):
    low, high = (k.spread.low / k.spread.median - 1, k.spread.high / k.spread.median - 1) if k.spread else (None, None)
    return [title, k.kernel, k.program, k.size, k.launches, *(round(value) for value in k.cycles), _percent(low), _percent(high),
            _percent(k.active_error), *(_percent(k.counter_error(counter)) for counter in SHOWN), ";".join(k.settings)]


def rows_of(sets):
    """By set, its rows as texts. `sets`: (title, kernels)."""
    return {title: [[str(cell) for cell in _row(title, k)] for k in kernels] for title, kernels in sets}


def read(file):
    """By set, its rows; none if there is no such file."""
    found = {}
    if file and file.exists():
        for row in list(csv.reader(io.StringIO(lzma.decompress(file.read_bytes()).decode())))[1:]:
            found.setdefault(row[0], []).append(row)
    return found


def write(file, rows):
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(HEAD)
    for title in sorted(rows):
        table.writerows(rows[title])
    content = text.getvalue().encode()
    # The preset's dictionary of 64 MiB takes longer to set up than the content to compress.
    best = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": max(4096, len(content))}
    file.write_bytes(lzma.compress(content, filters=[best]))


def cycles_of(rows):
    """Of the rows of a set: by kernel as the page names it, cycles simulated and measured."""
    fields = [dict(zip(HEAD, row)) for row in rows]
    return {f"{f['kernel']} ({f['program']}, {f['size']})": (int(f["simulated"]), int(f["measured"])) for f in fields}


def settings_of(rows):
    """Of the rows of a set: by program and size, the settings of the runs, as options of sassim."""
    fields = [dict(zip(HEAD, row)) for row in rows]
    return {(f["program"], f["size"]): [word for setting in f["settings"].split(";") if setting for word in ("-o", setting)] for f in fields}
