// SPDX-License-Identifier: Apache-2.0
// Sums over what is shown, as the program writes numbers.
const SPACE = '\u00a0';

/** With four digits: `238.5 µs`. */
export function duration(seconds: number): string {
  if (!(seconds > 0)) return `0${SPACE}ns`;
  const [unit, factor] = ([['s', 1], ['ms', 1e3], ['µs', 1e6], ['ns', 1e9]] as const)
    .find(([, scale]) => seconds * scale >= 0.99995) ?? (['ns', 1e9] as const);
  const value = seconds * factor;
  const digits = Math.max(0, 3 - Math.floor(Math.log10(value) + 1e-9));
  return `${value.toFixed(Math.min(digits, 3))}${SPACE}${unit}`;
}

/** A number stays on one line with its unit. */
export const unbroken = (text: string): string => text.replace(/(\d) (?=%|[nµm]?s\b)/g, `$1${SPACE}`);

/** `97.2 %`, `<0.1 %` */
export function percent(ratio: number): string {
  if (ratio > 0 && ratio < 0.0005) return `<0.1${SPACE}%`;
  return `${(100 * ratio).toFixed(1)}${SPACE}%`;
}

export const wholePercent = (ratio: number): string =>
  (ratio > 0 && ratio < 0.005 ? `<1${SPACE}%` : `${Math.round(100 * ratio)}${SPACE}%`);

/** `1 group`, `3 points` */
export const counted = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`;

export const count = (number: number): string => String(Math.round(number));

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P', 'E'];

/** Of an axis: `0.01`, `1`, `100`, `10 T`. */
export function tick(value: number): string {
  const order = Math.floor(Math.log10(value) / 3 + 1e-9);
  if (order < 1 || order >= PREFIXES.length) return String(Number(value.toPrecision(3)));
  return `${Number((value / 1000 ** order).toPrecision(3))}${SPACE}${PREFIXES[order]}`;
}

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
