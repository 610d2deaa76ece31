// SPDX-License-Identifier: Apache-2.0
// How the chart is moved and zoomed: with the mouse, the wheel and fingers.
import { expect, type Page } from '@playwright/test';
import { open, placeOf, test } from './support';

const ticks = (page: Page): Promise<string[]> => page.locator('.plot .y-tick').allTextContents();
/** The corners of the part that is shown: intensities, then rates. */
function zoomOf(page: Page): number[] {
  return (new URLSearchParams(new URL(page.url()).hash.slice(1)).get('zoom') ?? '').split(',').map(Number);
}

async function boxOf(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  const frame = page.locator('.frame');
  await frame.scrollIntoViewIfNeeded();
  return (await frame.boundingBox())!;
}

async function drag(page: Page, from: [number, number], to: [number, number]): Promise<void> {
  const { x, y } = await boxOf(page);
  await page.mouse.move(x + from[0], y + from[1]);
  await page.mouse.down();
  await page.mouse.move(x + to[0], y + to[1], { steps: 4 });
  await page.mouse.up();
}

test('while it is dragged, marks follow the pointer and numbers follow the axes', async ({ page }) => {
  await open(page, 'shipped');
  const { x, y } = await boxOf(page);
  const mark = page.locator('.plot .marks path').last();
  const [before, numbers] = [(await mark.boundingBox())!, await ticks(page)];
  await page.mouse.move(x + 500, y + 300);
  await page.mouse.down();
  await page.mouse.move(x + 460, y + 180, { steps: 4 });
  const during = (await mark.boundingBox())!;
  expect(during.x).toBeCloseTo(before.x - 40, 0);
  expect(during.y).toBeCloseTo(before.y - 120, 0);
  expect(await ticks(page)).not.toEqual(numbers);
  const shifted = await ticks(page);
  await page.mouse.up();
  await expect(page).toHaveURL(/zoom=/);
  const after = (await mark.boundingBox())!;
  expect(after.x).toBeCloseTo(during.x, 0);
  expect(after.y).toBeCloseTo(during.y, 0);
  expect(await ticks(page)).toEqual(shifted);
});

test('a drag on the numbers of one axis leaves the other', async ({ page }) => {
  await open(page, 'shipped', '#zoom=0.1,1,1e11,1e12');
  await drag(page, [30, 200], [90, 300]);
  await expect(page).not.toHaveURL(/zoom=0.1,1,1e11/);
  const [left, right, bottom] = zoomOf(page);
  expect([left, right]).toEqual([0.1, 1]);
  expect(bottom).toBeGreaterThan(1e11);
});

test('Ctrl with the wheel zooms around the pointer; the wheel alone scrolls the page', async ({ page }) => {
  await open(page, 'shipped');
  const { x, y } = await placeOf(page, 'V4');
  await page.mouse.move(x, y);
  const [numbers, ring] = [await ticks(page), page.locator('.overlay .ring')];
  await page.keyboard.down('Control');
  for (let i = 0; i < 4; ++i) await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  await expect(page).toHaveURL(/zoom=/);
  expect(await ticks(page)).not.toEqual(numbers);
  // Nothing is hovered while the wheel turns, which a slow machine may see late.
  await expect(async () => {
    await page.mouse.move(x + 300, y);
    await page.mouse.move(x, y);
    await expect(ring.first()).toBeVisible({ timeout: 500 });
  }).toPass();
  const box = (await ring.first().boundingBox())!;
  expect(box.x + box.width / 2, 'the mark under the pointer stays there').toBeCloseTo(x, 0);
  const address = page.url();
  await page.mouse.wheel(0, 300);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
  expect(page.url()).toBe(address);
});

test('a box is zoomed to, a flat one along its axis alone, and a double click shows the points again', async ({ page }) => {
  await open(page, 'shipped', '#zoom=0.1,1,1e11,1e12');
  await page.getByRole('button', { name: 'Box zoom' }).click();
  await drag(page, [300, 200], [500, 330]);
  await expect(page).not.toHaveURL(/zoom=0.1,1,1e11/);
  const [left, right, bottom, top] = zoomOf(page) as [number, number, number, number];
  expect(left).toBeGreaterThan(0.1);
  expect(right).toBeLessThan(1);
  expect(bottom).toBeGreaterThan(1e11);
  expect(top).toBeLessThan(1e12);
  await drag(page, [300, 200], [500, 203]);
  await expect.poll(() => zoomOf(page)[0]).toBeGreaterThan(left);
  expect(zoomOf(page).slice(2)).toEqual([bottom, top]);
  await expect(page.locator('.zoom-box')).toHaveCount(0);
  const { x, y } = await boxOf(page);
  await page.mouse.dblclick(x + 80, y + 40);
  await expect(page).not.toHaveURL(/zoom=/);
});

test('a drag within the strip of kernels without operations moves nothing', async ({ page }) => {
  await open(page, 'program');
  const numbers = await ticks(page);
  const { height } = await boxOf(page);
  await drag(page, [300, height - 90], [400, height - 200]);
  await expect(page).not.toHaveURL(/zoom=/);
  expect(await ticks(page)).toEqual(numbers);
});

test.describe('with fingers', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
  test('two zoom, and one that moves up or down scrolls the page', async ({ page }) => {
    await open(page, 'shipped', '#zoom=0.1,1,1e11,1e12');
    const { x, y, width, height } = await boxOf(page);
    const [middle, level] = [x + width / 2, y + height / 2];
    const touches = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...places: [number, number][]): Promise<void> =>
      touches.send('Input.dispatchTouchEvent', { type, touchPoints: places.map(([at, of], id) => ({ x: at, y: of, id })) });
    await touch('touchStart', [middle - 20, level], [middle + 20, level]);
    for (let reach = 30; reach <= 80; reach += 10) await touch('touchMove', [middle - reach, level], [middle + reach, level]);
    await touch('touchEnd');
    await expect(page).not.toHaveURL(/zoom=0.1,1,1e11/);
    const [left, right, bottom, top] = zoomOf(page) as [number, number, number, number];
    expect(Math.log(right / left)).toBeLessThan(0.4 * Math.log(10));
    expect(Math.log(top / bottom)).toBeLessThan(0.4 * Math.log(10));
    const address = page.url();
    const before = await page.evaluate(() => scrollY);
    await touch('touchStart', [middle, level]);
    for (let moved = 10; moved <= 120; moved += 10) await touch('touchMove', [middle, level - moved]);
    await touch('touchEnd');
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(before);
    expect(page.url()).toBe(address);
  });
});
