// SPDX-License-Identifier: Apache-2.0
// The ranks of a program beside each other.
import { expect } from '@playwright/test';
import { open, test } from './support';

test('ranks have a map of their times, a lane each, and tables', async ({ page }) => {
  await open(page, 'two-ranks');
  const section = page.locator('#ranks');
  await expect(section.locator('ul').first()).toContainText('2 ranks on 1 host');
  await expect(section.locator('ul').first()).toContainText('Rank 1 (node1, device 1) is slower than the others');
  await expect(section.locator('h3')).toContainText(['Time by rank and phase', 'Over time, one lane per rank', 'Each rank', 'The same kernels on several ranks']);
  await page.getByRole('button', { name: 'Ranks', exact: true }).click();
  await expect(section).toBeInViewport();
});

test('the map is orange where a rank takes longer, and blue where it takes less', async ({ page }) => {
  await open(page, 'two-ranks');
  const cells = page.locator('.rank-map tbody tr').first().locator('td');
  await expect(cells).toHaveCount(2);
  await expect(cells.nth(0)).toHaveAttribute('style', /--family-0/);
  await expect(cells.nth(1)).toHaveAttribute('style', /--family-1/);
  await expect(cells.nth(1)).toHaveAttribute('title', /, rank 1: .*s$/);
});

test('ranks are filtered by their numbers', async ({ page }) => {
  await open(page, 'two-ranks');
  const columns = page.locator('.rank-map thead th.number');
  await expect(columns).toHaveText(['rank 0', 'rank 1']);
  await page.getByLabel('Show ranks').fill('1-7');
  await expect(columns).toHaveText(['rank 1']);
  await expect(page.locator('.rank-map tbody tr').first().locator('td')).toHaveAttribute('title', /, rank 1: /);
  await expect(page.locator('.rank-map tbody tr').first().locator('td')).toHaveAttribute('style', /--family-1/);
  await expect(page.locator('.rank-lanes .lane')).toHaveCount(1);
  await expect(page.locator('#ranks').getByRole('rowheader', { name: 'rank 0' })).toHaveCount(0);
  await page.getByLabel('Show ranks').fill('');
  await expect(columns).toHaveText(['rank 0', 'rank 1']);
});

test('a lane shows what ran, and where no sample is', async ({ page }) => {
  await open(page, 'two-ranks');
  const lanes = page.locator('.rank-lanes .lane');
  await expect(lanes).toHaveCount(2);
  await expect(page.locator('.rank-lane-names')).toContainText('rank 0');
  expect(await lanes.nth(0).locator('.compute').getAttribute('d')).not.toBe('');
  expect((await lanes.nth(1).locator('.missing').getAttribute('d'))?.length).toBeGreaterThan((await lanes.nth(0).locator('.missing').getAttribute('d'))?.length ?? 0);
});

test('ranks that were sampled one after the other have no lanes', async ({ page }) => {
  await open(page, 'ranks-apart');
  await expect(page.locator('#ranks h3').first()).toHaveText('Time by rank and phase');
  await expect(page.locator('#ranks h3', { hasText: 'Over time' })).toHaveCount(0);
});

test('the collectives of ranks are side by side, of the chosen ones alone', async ({ page }) => {
  await open(page, 'ranks-step');
  const lanes = page.locator('#ranks .side-by-side dt');
  await expect(lanes).toHaveCount(2);
  await page.getByLabel('Show ranks').fill('1');
  await expect(lanes).toHaveText(/^rank 1 /);
});

test('of a long table the first rows are shown, and the others at a click', async ({ page }) => {
  await open(page, 'ranks-step');
  const kernels = page.locator('#ranks > div > div', { has: page.locator('h3', { hasText: 'The same kernels on several ranks' }) });
  const shown = kernels.locator('tbody tr:visible');
  await expect(shown).toHaveCount(20);
  await kernels.getByText(/^\d+ more rows$/).click();
  await expect.poll(() => shown.count()).toBeGreaterThan(60);
});

test('a program with one process has no ranks', async ({ page }) => {
  await open(page, 'program');
  await expect(page.locator('#ranks')).toHaveCount(0);
});
