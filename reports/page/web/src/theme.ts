// SPDX-License-Identifier: Apache-2.0
import type { Theme } from './view';

const NAMES = ['paper', 'ink', 'muted', 'line', 'grid', 'gridMinor', 'roof', 'faint', 'accent', 'unknown'] as const;

/**
 * Colours of the chart, from the style sheet that the program writes; `unknown`: of kernels whose bound is unknown. Those of families
 * begin again after the last one.
 */
export type Colours = Record<(typeof NAMES)[number], string> & { family: (colour: number) => string };

/** `colour`: of a custom property of the style sheet. */
function coloursFrom(colour: (property: string) => string, family: Colours['family']): Colours {
  const named = NAMES.map((name) => [name, colour(name === 'gridMinor' ? 'grid-minor' : name)]);
  return { ...Object.fromEntries(named) as Record<(typeof NAMES)[number], string>, family };
}

/** For elements of the page, so that they follow the theme. */
export const THEMED = coloursFrom((property) => `var(--${property})`, (number) => `var(--family-${number})`);

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
  return coloursFrom(colour, (number) => families[number % families.length] ?? '');
}

/** Calls `listener` when the system turns from light to dark or back. */
export function onSystemTheme(listener: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', listener);
}
