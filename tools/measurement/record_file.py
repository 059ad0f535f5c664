# SPDX-License-Identifier: Apache-2.0
"""The files that tools/measure writes and `sassim validate` and `sassim sweep` read (schema sassim-hardware/1); a name that ends in
.xz is packed."""
import json
import lzma
import os
import re
import statistics

from measurement.gpu import Trouble


def merge(path, other):
    """Adds the run of another host to a record: the median is then that of the hosts, smallest and largest are of all."""
    record, run = read(path), read(other)
    if record["gpu"] != run["gpu"]:
        raise Trouble(f"{other} is of another GPU ({run['gpu']}) than {path} ({record['gpu']})")
    for key, new in run["values"].items():
        old = record["values"].get(key)
        if old is None:
            record["values"][key] = new
            continue
        if old.get("run") != new.get("run"):
            continue  # a short run and a full one are two quantities
        record["values"][key] = {**joined(old, new), "unit": old["unit"], "program": old["program"]}
        if "run" in old:
            record["values"][key]["run"] = old["run"]
        if "full" in old and "full" in new:
            record["values"][key]["full"] = {**joined(old["full"], new["full"]),
                                             "hosts": hosts_of(old["full"], new["full"])}
        record["values"][key]["hosts"] = hosts_of(old, new)
    for label in run["seconds"]:
        record.setdefault("measured_again", {})[label] = run["date"]
    write(path, record)


def hosts_of(old, new):
    return old.get("hosts", [old["median"]]) + [new["median"]]


def joined(old, new):
    return {"median": statistics.median(hosts_of(old, new)), "min": min(old["min"], new["min"]),
            "max": max(old["max"], new["max"]), "n": old["n"] + new["n"]}


def read(path):
    try:
        data = path.read_bytes()
        record = json.loads(lzma.decompress(data) if path.suffix == ".xz" else data)
    except (OSError, ValueError, lzma.LZMAError) as error:
        raise Trouble(f"{path}: cannot be read: {error}") from None
    if not isinstance(record, dict) or record.get("schema") != "sassim-hardware/1" or not {
            "gpu", "date", "values", "seconds"} <= record.keys() or not all(
            isinstance(entry, dict) and "median" in entry for entry in record["values"].values()):
        raise Trouble(f"{path}: expected a file that tools/measure wrote (schema sassim-hardware/1)")
    return record


def write(path, record):
    text = json.dumps(record, indent=1)
    # One line per value and per series keeps the file readable and its diffs small.
    text = re.sub(r"\{\s+(\"(?:median|unit)\"(?:[^{}]|\{[^{}]*\})*?)\s+\}", lambda m: "{" + re.sub(r"\s*\n\s*", " ", m.group(1)) + "}", text)
    part = path.with_name(path.name + f".{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        data = (text + "\n").encode()
        part.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME) if path.suffix == ".xz" else data)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise Trouble(f"{path}: cannot be written: {error}") from None


def keep_older(record, path):
    """What the file has and this run has not stays, with the date at which it was measured."""
    older = read(path)
    if older["gpu"] != record["gpu"]:
        raise Trouble(f"{path} is of another GPU ({older['gpu']}; this one is {record['gpu']}): name another file with --out")
    if any("hosts" in entry for entry in older.get("values", {}).values()):
        raise Trouble(f"{path} has values of several hosts: measure into another file with --out, and add that one with --merge")
    for kind in ("values", "series"):
        both = {}
        for key, entry in older.get(kind, {}).items():
            both[key] = {**entry, "date": entry.get("date", older.get("date", "unknown"))}
        record[kind] = {**both, **record[kind]}
    record["seconds"] = {**older.get("seconds", {}), **record["seconds"]}
    if "measured_again" in older:
        record["measured_again"] = older["measured_again"]
