#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which L1 size stops paying for a sparse matrix times a vector, and where its time goes.

    PYTHONPATH=build/release/python python/examples/cache_size.py traces/sm_70/spmv_scalar-large.sast v100 /tmp/figures
"""
import pathlib
import sys

import sassim


def main(trace: str, config: str, folder: str) -> None:
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)

    result = sassim.run(trace, config)
    top = result.stalls.iloc[0].nlargest(3)
    print(f"{result.kernels[0].name} on {result.config_name}: {result.cycles} cycles")
    print("most warp cycles:", ", ".join(f"{reason} {100 * cycles / result.stalls.iloc[0].sum():.1f} %"
                                         for reason, cycles in top.items()))
    result.plot_stalls().savefig(out / "stalls.png")
    result.plot_lines().savefig(out / "lines.png")

    study = sassim.explore(trace, config, {"l1.size": ["32KiB", "128KiB"], "l2.latency": [40, 80]})
    print(study.points[[*study.keys, "gpc__cycles_elapsed.max"]].to_string(index=False))
    study.plot().savefig(out / "sizes.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
