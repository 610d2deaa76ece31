// SPDX-License-Identifier: Apache-2.0
// The page of ceilings of several devices: their roofs, the links between them, collectives.
import { expect, type Locator } from '@playwright/test';
import { choice, marks, open, test } from './support';

const middles = (shapes: Locator): Promise<{ x: number; y: number }[]> => shapes.evaluateAll((all) => all.map((shape) => {
  const { x, y, width, height } = shape.getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
}));

const texts = (row: Locator): Promise<string[]> => row.locator('th, td').allTextContents();

test('the links are a matrix, and a pair without one has its reason below', async ({ page }) => {
  await open(page, 'several-devices');
  const links = page.locator('#links');
  await expect(links.locator('h3')).toHaveText(['Loads by the target, one way, GB/s (% of theoretical)']);
  expect(await links.locator('thead th').allTextContents()).toEqual(['from / to', 'device 0', 'device 1', 'device 2']);
  const rows = links.locator('tbody tr');
  expect(await texts(rows.nth(0))).toEqual(['device 0', '–', '110 (23 %)', '–']);
  expect(await texts(rows.nth(1))).toEqual(['device 1', '200 (42 %)', '–', '220 (92 %)']);
  expect(await texts(rows.nth(2))).toEqual(['device 2', '–', '310 (130 %)', '–']);
  await expect(links).toContainText('device 0 to device 2, device 2 to device 0: no peer access between these devices');
  await expect(links).toContainText('NVLink\'s counters saw 0.9990 of the bytes');
});

test('collectives have a picture, their bus bandwidths, and the reason where one was wrong', async ({ page }) => {
  await open(page, 'several-devices');
  const collectives = page.locator('#collectives');
  await expect(collectives.locator('figure > svg')).toBeVisible();
  await expect(collectives.locator('figure > svg')).toContainText('NVLink, theoretical, one way: 239 GB/s');
  await expect(collectives.locator('h3')).toHaveText(['Collectives over 3 devices, NCCL 2.99.0', 'Bus bandwidth, GB/s', 'Algorithm bandwidth, GB/s', 'Time']);
  const overview = collectives.locator('table').first().locator('tbody tr');
  expect(await texts(overview.nth(0))).toEqual(['all-reduce', '10.00 µs', '399', '1 GiB', '167 %', '363 %', '100.00 % of expected']);
  expect(await texts(overview.nth(1))).toEqual(['broadcast', '–', '–', '–', '–', '–', '–']);
  await expect(collectives).toContainText('broadcast: the result is wrong');
  await page.getByRole('button', { name: 'Collectives' }).click();
  await expect(collectives).toBeInViewport();
});

test('the chart shows the roofs of the device that is chosen', async ({ page }) => {
  await open(page, 'several-devices');
  const names = page.locator('.plot');
  await expect(page.locator('.side h2').first()).toContainText('device 0');
  await expect(names).toContainText('4.72 TB/s');
  await choice(page, 'Device', '2').click();
  await expect(page.locator('.side h2').first()).toContainText('device 2: Slower GPU');
  await expect(names).toContainText('2.36 TB/s');
  await expect(names).not.toContainText('4.72 TB/s');
  await page.reload();
  await expect(page.locator('.side h2').first()).toContainText('device 2: Slower GPU');
});

test('what NVLink allows a point is a bar above its mark', async ({ page }) => {
  await open(page, 'over-links');
  const bars = page.locator('.plot .link-roofs path');
  const families = page.getByRole('group', { name: 'Families' });
  await expect(families).toContainText('Bar above a mark: what NVLink allows it, bandwidth × its FLOP per byte received');
  await expect(bars).not.toHaveCount(0);
  const places = await middles(bars);
  const belowOne = (await middles(marks(page))).filter(({ x, y }) => places.some((bar) => Math.abs(x - bar.x) < 1 && y > bar.y + 1));
  expect(belowOne.length).toBeGreaterThanOrEqual(places.length);
  await choice(page, 'Roofs', 'theoretical').click();
  await expect(bars).toHaveCount(0);
  await choice(page, 'Roofs', 'measured').click();
  await choice(page, 'Work', 'executed').click();
  await expect(bars).toHaveCount(0);
  await open(page, 'shipped');
  await expect(families).not.toContainText('NVLink');
});

test('a run of one device has nothing to choose', async ({ page }) => {
  await open(page, 'shipped');
  await expect(page.locator('fieldset.switch legend', { hasText: 'Device' })).toHaveCount(0);
  await expect(page.locator('#links, #collectives')).toHaveCount(0);
});
