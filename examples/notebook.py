# SPDX-License-Identifier: Apache-2.0
"""Redraws the roofline of a run from its points.csv and run.json: python3 notebook.py RUN_FOLDER PICTURE.png"""

import json
import pathlib
import sys

import matplotlib.pyplot as plt
import numpy
import pandas

folder, picture = pathlib.Path(sys.argv[1]), sys.argv[2]
points = pandas.read_csv(folder / "points.csv").dropna(subset=["ai_useful", "flop_per_s"])
ceilings = pandas.DataFrame(json.loads((folder / "run.json").read_text())["ceilings"])
measured = ceilings[ceilings["source"] == "measured"].groupby("id")["value"].first()  # of the first GPU

intensity = numpy.geomspace(points["ai_useful"].min() / 10, points["ai_useful"].max() * 1000, 200)
roof = numpy.minimum(intensity * measured["dram_read"], measured["f32_fma"])
plt.loglog(intensity, roof / 1e9, color="gray", label="DRAM read, FP32 FMA")
for bound, group in points.groupby("bound"):
    plt.loglog(group["ai_useful"], group["flop_per_s"] / 1e9, "o", label=bound)
plt.xlabel("arithmetic intensity (FLOP/byte)")
plt.ylabel("performance (GFLOP/s)")
plt.legend()
plt.savefig(picture)

print(points.sort_values("fraction_of_roofline")[["label", "time_s", "fraction_of_roofline", "bound"]].to_string(index=False))
