// SPDX-License-Identifier: Apache-2.0

/** The `factors` times powers of ten from `low` to `high`: of the powers, those that `every` divides. */
export function logTicks([low, high]: readonly [number, number], factors: readonly number[], every = 1): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power) {
    if (power % every !== 0) continue;
    for (const factor of factors) {
      // As text, since `10 ** -5` is not quite 1e-5.
      const value = Number(`${factor}e${power}`);
      if (value >= low && value <= high) ticks.push(value);
    }
  }
  return ticks;
}
