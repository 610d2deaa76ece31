// SPDX-License-Identifier: Apache-2.0
// What every page is checked for, on these screens.
import AxeSource from 'axe-core';
import type { Page } from '@playwright/test';

export interface Screen { width: number; height: number; colorScheme: 'light' | 'dark'; isTouch: boolean }
export const SCREENS: Screen[] = [
  { width: 390, height: 844, colorScheme: 'dark', isTouch: true },
  { width: 600, height: 900, colorScheme: 'light', isTouch: true },
  { width: 1000, height: 800, colorScheme: 'light', isTouch: false },
  { width: 1400, height: 1000, colorScheme: 'dark', isTouch: false },
  { width: 1400, height: 1000, colorScheme: 'light', isTouch: false },
];

/** Texts of controls and tables that are wider than what they stand in, where no ellipsis says so. */
export async function clipped(page: Page): Promise<string[]> {
  return page.evaluate(() => [...document.querySelectorAll<HTMLElement>('button, td, th, dt, dd, p, h2, legend, li')].filter((element) => {
    const style = getComputedStyle(element);
    if (element.clientWidth === 0 || element.closest('.plot, .visually-hidden')) return false;
    if (style.textOverflow === 'ellipsis' || style.overflowX === 'visible') return false;
    return element.scrollWidth > element.clientWidth + 1;
  }).map((element) => `${element.tagName} ${element.className}: ${element.textContent?.slice(0, 40)}`));
}

/** What axe objects to. Without `resultTypes` it would spend most of its time on lists of what it does not object to. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AxeSource.source);
  const { violations: found } = await page.evaluate(() => (window as any).axe.run(document, { resultTypes: ['violations'] }));
  return found.map(({ id, nodes }: any) => `${id}: ${nodes.map((node: any) => node.target.join(' ')).slice(0, 5).join(' | ')}`);
}
