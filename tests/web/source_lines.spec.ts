// SPDX-License-Identifier: Apache-2.0
// The lines of a kernel's source in which its warps were, in the inspector.
import { expect, type Locator, type Page } from '@playwright/test';
import { clipped, onEveryScreen, violations } from './checks';
import { LONG_LINE } from './reports';
import { open, rows, test } from './support';

/** The lines of the kernel that was sampled, after a click on it. */
async function linesOf(page: Page): Promise<Locator> {
  await open(page, 'program-lines');
  await page.locator('table.points tbody tr[data-point="0"] button.name').click();
  return page.locator('#inspector .source-lines');
}

test('lists the source lines of a kernel when they were sampled', async ({ page }) => {
  const lines = await linesOf(page);
  await expect(lines.locator('h3')).toHaveText('Where its warps were (10000 samples)');
  const places = lines.locator('li');
  await expect(places).toHaveCount(3);
  await expect(places.nth(0).locator('.place')).toHaveText(/^model\/vocabulary_projection\.py:4560\.0\s%$/);
  await expect(places.nth(0).locator('pre')).toHaveText(LONG_LINE);
  await expect(places.nth(0).locator('p')).toHaveText(/^75\.0\s% waiting for global memory$/);
  // Code is data, never markup.
  await expect(places.nth(1).locator('pre')).toHaveText('<b>total</b> += tl.sum(logits)');
  await expect(places.nth(1).locator('p')).toHaveText(/^60\.0\s% issuing$/);
  // Its file could not be read.
  await expect(places.nth(2).locator('.place')).toContainText('language/standard.py:189');
  await expect(places.nth(2).locator('pre')).toHaveCount(0);
  await expect(lines.locator('> p')).toHaveText(/^Other lines, and code without a line, have 15\.0\s% of the samples\.$/);
});

test('lists no source lines when none were sampled', async ({ page }) => {
  const lines = await linesOf(page);
  await expect(lines).toBeVisible();
  await rows(page).filter({ hasText: 'FusedAdam' }).first().click();
  await expect(page.locator('#inspector h2')).toContainText('FusedAdam');
  await expect(lines).toHaveCount(0);
});

onEveryScreen('a long source line is whole in its box', async (page, { width }) => {
  const lines = await linesOf(page);
  const code = lines.locator('pre').first();
  const [content, box, right, font] = await code.evaluate((pre) => [pre.scrollWidth, pre.clientWidth, pre.getBoundingClientRect().right,
    getComputedStyle(pre.querySelector('code')!).fontFamily]);
  expect(font).toContain('monospace');
  expect(content).toBeLessThanOrEqual(box as number);
  expect(right).toBeLessThanOrEqual(width);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  expect(await clipped(page)).toEqual([]);
  expect(await violations(page)).toEqual([]);
});
