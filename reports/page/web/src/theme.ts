// SPDX-License-Identifier: Apache-2.0
import type { Theme } from './view';

/** Colours of the chart, from the style sheet that the program writes. Those of families begin again after the last one. */
export interface Colours {
  paper: string; ink: string; muted: string; line: string; grid: string; gridMinor: string; roof: string; faint: string; accent: string;
  /** Of kernels whose bound is unknown. */
  unknown: string;
  family: (colour: number) => string;
}

/** For elements of the page, so that they follow the theme. */
export const THEMED: Colours = {
  paper: 'var(--paper)', ink: 'var(--ink)', muted: 'var(--muted)', line: 'var(--line)', grid: 'var(--grid)',
  gridMinor: 'var(--grid-minor)',
  roof: 'var(--roof)', faint: 'var(--faint)', accent: 'var(--accent)', unknown: 'var(--unknown)',
  family: (number) => `var(--family-${number})`,
};

export function applyTheme(theme: Theme): void {
  if (theme === 'auto') {
    delete document.documentElement.dataset['theme'];
  } else {
    document.documentElement.dataset['theme'] = theme;
  }
}

/** The colours as they are now: `element` may be gone when they are used. */
export function coloursOf(element: Element = document.documentElement): Colours {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const families: string[] = [];
  while (colour(`family-${families.length}`) !== '') families.push(colour(`family-${families.length}`));
  return {
    paper: colour('paper'), ink: colour('ink'), muted: colour('muted'), line: colour('line'), grid: colour('grid'),
    gridMinor: colour('grid-minor'), roof: colour('roof'), faint: colour('faint'), accent: colour('accent'),
    unknown: colour('unknown'),
    family: (number) => families[number % families.length] ?? '',
  };
}

/** Calls `listener` when the system turns from light to dark or back. */
export function onSystemTheme(listener: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', listener);
}
