// SPDX-License-Identifier: Apache-2.0
// What every page is checked for, on these screens.
import AxeSource from 'axe-core';
import type { Locator, Page } from '@playwright/test';
import { test } from './support';

export interface Screen { width: number; height: number; colorScheme: 'light' | 'dark'; isTouch: boolean }
/** Every width in the colours of one scheme, each scheme narrow and wide: colours do not depend on the width. */
const SCREENS: Screen[] = [
  { width: 390, height: 844, colorScheme: 'dark', isTouch: true },
  { width: 600, height: 900, colorScheme: 'light', isTouch: true },
  { width: 1000, height: 800, colorScheme: 'light', isTouch: false },
  { width: 1400, height: 1000, colorScheme: 'dark', isTouch: false },
];

/** A test on each screen, with a tab that shows nothing yet. */
export function onEveryScreen(name: string, check: (page: Page, screen: Screen) => Promise<void>): void {
  for (const screen of SCREENS) {
    const { width, height, colorScheme, isTouch } = screen;
    test(`${name} at ${width} pixels, ${colorScheme}${isTouch ? ', touch' : ''}`, async ({ tabOf }) => {
      await check(await tabOf({ viewport: { width, height }, colorScheme, hasTouch: isTouch, isMobile: isTouch, bypassCSP: true }), screen);
    });
  }
}

/** Texts of a chart that lie over each other, or outside of it. */
export async function collisions(chart: Locator, selector: string): Promise<string[]> {
  return chart.evaluate((frame, texts) => {
    const edge = frame.getBoundingClientRect();
    const isTurned = (element: Element): boolean => /rotate/.test(element.getAttribute('transform') ?? '');
    const all = [...frame.querySelectorAll(texts)].map((text) => ({ content: text.textContent ?? '', box: text.getBoundingClientRect(), isTurned: isTurned(text) }))
      .filter(({ content, box }) => content !== '' && box.width > 0);
    return all.flatMap((a, i) => {
      const found: string[] = [];
      if (a.box.left < edge.left - 1 || a.box.right > edge.right + 1 || a.box.top < edge.top - 1 || a.box.bottom > edge.bottom + 1) found.push(`${a.content}: cut off`);
      // The box of a slanted text is far larger than the text.
      if (a.isTurned) return found;
      for (const b of all.slice(i + 1)) {
        const width = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const height = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        if (!b.isTurned && width > 1 && height > 2) found.push(`${a.content} × ${b.content}`);
      }
      return found;
    });
  }, selector);
}

/** Texts of controls and tables that are wider than what they stand in, where no ellipsis shows it. */
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
