// SPDX-License-Identifier: Apache-2.0
// The page of a profiled program: executed work alone, by its share of the time.
import { expect, test } from '@playwright/test';
import { marks, open, row, rows } from './support';

test('shows where the time is, what could be saved, and nothing that nobody declared', async ({ page }) => {
  await open(page, 'program');
  await expect(page.locator('.headline')).toContainText('63 % of GPU time is in 3 of 11 kernels; multi_tensor_apply<FusedAdam, f32> could save 6.299 ms of 74.27 ms.');
  await expect(page.locator('#program li').first()).toHaveText('GPU busy 80.0 %, idle 20.0 % of the 96.56 ms that were traced.');
  await expect(page.locator('#program h3')).toHaveText(['What could be saved', 'NVTX ranges', 'Copies and sets of memory', 'Without a roof']);
  const heads = await page.locator('table.points thead th').allTextContents();
  expect(heads).toEqual(expect.arrayContaining(['share', 'launches', 'total', 'p95', 'could save', 'roof', 'grid × block', 'NVTX ranges']));
  for (const declared of ['AI useful', 'n', 'dtype', 'cache', 'GB/s', 'family']) expect(heads).not.toContain(declared);
  await expect(page.locator('fieldset.switch', { hasText: 'Work' })).toHaveCount(0);
  await expect(page.locator('#ladder')).toBeHidden();
});

test('lists the kernels that took longest first, and tells all of one when it is pinned', async ({ page }) => {
  await open(page, 'program');
  await expect(rows(page).first().locator('button.name')).toContainText('multi_tensor_apply<FusedAdam, f32>');
  await row(page, 'elementwise<add, bf16>').click();
  await expect(page.locator('#pinned')).toContainText('at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>');
  await expect(page.locator('#pinned')).toContainText('644, of which 640 were traced and 3 counted');
  await expect(page.locator('#pinned')).not.toContainText('useful');
});

test('marks have the area of their share', async ({ page }) => {
  await open(page, 'program');
  const widths = await marks(page).evaluateAll((paths) => paths.map((path) => path.getBoundingClientRect().width));
  expect(Math.max(...widths)).toBeGreaterThan(2 * Math.min(...widths));
});

test('5,000 groups are drawn, sorted and filtered', async ({ page }) => {
  await open(page, 'program-5000');
  await expect(page.locator('#points [role=status]')).toHaveText('5000 points');
  await page.locator('#filter').fill('layer17');
  await expect(page.locator('#points [role=status]')).toContainText('of 5000 points');
});

test('names of kernels and ranges are text', async ({ page }) => {
  await open(page, 'program-hostile');
  await rows(page).first().click();
  expect(await page.evaluate(() => (window as any).hacked)).toBeUndefined();
  expect(await page.locator('main img').count()).toBe(0);
});

test('fits a phone', async ({ browser }) => {
  const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
  await open(page, 'program');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
