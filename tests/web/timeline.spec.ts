// SPDX-License-Identifier: Apache-2.0
// What a device did over time, above the kernels: read, zoomed, and a part of it chosen, which filters everything.
import { expect, type Page } from '@playwright/test';
import { clipped, collisions, onEveryScreen, violations } from './checks';
import { choice, marks, open, rows, test } from './support';

const strips = (page: Page) => page.locator('.strips');
const said = (page: Page) => page.locator('#time .said');

/** Of the time that is shown, the place at a share of its width, in pixels of the window. */
async function at(page: Page, share: number, y: number): Promise<{ x: number; y: number }> {
  await strips(page).scrollIntoViewIfNeeded();
  const box = await strips(page).boundingBox();
  if (!box) throw new Error('no strips');
  return { x: box.x + 8 + share * (box.width - 16), y: box.y + y };
}

async function drag(page: Page, from: number, to: number): Promise<void> {
  await strips(page).evaluate((element) => element.scrollIntoView({ block: 'start' }));
  const [begin, end] = [await at(page, from, 150), await at(page, to, 150)];
  await page.mouse.move(begin.x, begin.y);
  await page.mouse.down();
  await page.mouse.move((begin.x + end.x) / 2, begin.y, { steps: 3 });
  await page.mouse.move(end.x, end.y);
  await page.mouse.up();
}

/** Pixels of the strips that are not paper. */
const inked = (page: Page): Promise<number> => page.locator('.strips canvas').first().evaluate((canvas: HTMLCanvasElement) => {
  const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i]! > 0) ++count;
  return count / (canvas.width * canvas.height);
});

test('is there where a device was sampled, and says what is missing', async ({ page }) => {
  await open(page, 'sampled');
  await expect(page.locator('#time')).toBeVisible();
  await expect(said(page)).toContainText('Sampled for 44.48');
  expect(await inked(page)).toBeGreaterThan(0.1);
  await page.getByText('What was sampled').click();
  await expect(page.locator('.samples')).toContainText('1.000 of the 83.4');
  await expect(page.locator('.samples')).toContainText('Always 0: FP64 pipe, PCIe out.');
  await expect(page.locator('.samples')).toContainText('Not sampled: NVLink in (not on this device), NVLink out (not on this device).');
  const before = (await strips(page).boundingBox())!.height;
  await page.getByRole('button', { name: 'All strips' }).click();
  expect((await strips(page).boundingBox())!.height).toBeGreaterThan(before + 200);
});

test('is absent from the page of a program that was not sampled', async ({ page }) => {
  await open(page, 'program');
  await expect(page.locator('#time')).toBeHidden();
  await expect(choice(page, 'Phases', 'on')).toHaveCount(0);
});

test('tells what the pointer is over', async ({ page }) => {
  await open(page, 'sampled');
  const place = await at(page, 0.03, 150);
  await page.mouse.move(place.x, place.y);
  await expect(said(page)).toContainText('step/forward');
  await expect(said(page)).toContainText(/DRAM [\d.]+.[GT]B\/s/);
  await expect(said(page)).toContainText(/Tensor Cores [\d.]+.%/);
  await page.mouse.move(place.x, 2);
  await expect(said(page)).toContainText('Drag: select a time');
});

test('a brush filters tree, table and roofline; a chip shows and clears it, and the address keeps it', async ({ page }) => {
  await open(page, 'sampled');
  const all = await rows(page).count();
  const allMarks = await marks(page).count();
  await drag(page, 0.985, 0.999);
  await expect(page.locator('.time-chip')).toBeVisible();
  await expect(page.locator('.time-chip')).toContainText('times are those of the launches in it');
  await expect(page).toHaveURL(/time=/);
  // The last part of the window has the CUDA graph, and nothing else.
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page).first()).toContainText('CUDA graph of 12 nodes');
  await expect(page.locator('.ranges li')).toHaveCount(2);
  expect(await marks(page).count()).toBeLessThan(allMarks);
  const address = page.url();
  await page.getByRole('button', { name: 'Clear the selected time' }).click();
  await expect(rows(page)).toHaveCount(all);
  await expect(page).not.toHaveURL(/time=/);
  await page.goto('about:blank');
  await page.goto(address);
  await expect(rows(page)).toHaveCount(1);
  await expect(page.locator('.time-chip')).toBeVisible();
});

test('of a chosen time the table has the times of its launches', async ({ page }) => {
  // The first optimizer: one copy of 92 µs, one update of 1.1 ms.
  await open(page, 'sampled', '#range=step/optimizer&time=3.1,4.38');
  const cells = async (label: string): Promise<string[]> => (await rows(page).filter({ hasText: label }).locator('td').allTextContents()).map((text) => text.replaceAll('\u00a0', ' '));
  await expect(rows(page)).toHaveCount(2);
  expect(await cells('multi_tensor_apply')).toEqual(expect.arrayContaining(['1', '1.100 ms']));
  expect(await cells('elementwise<bfloat16 copy')).toEqual(expect.arrayContaining(['1', '92.00 µs']));
});

test('a click on a phase chooses its time, one on a kernel shows the kernel', async ({ page }) => {
  await open(page, 'sampled');
  const phase = await at(page, 0.02, 28 + 15);
  await page.mouse.click(phase.x, phase.y);
  await expect(page.locator('.time-chip strong')).toContainText('from 0');
  await page.locator('#time details.phases summary').click();
  await page.locator('.phases tbody tr').filter({ hasText: 'step/optimizer' }).first().locator('button').click();
  await expect(page.locator('.time-chip strong')).toContainText('1.194');
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'Zoom to selection' }).click();
  await page.getByRole('button', { name: 'Clear the selected time' }).click();
  // Phases, three depths of ranges, then the kernels.
  const kernel = await at(page, 0.5, 150);
  let found = false;
  for (const y of [110, 118, 126, 134, 142]) {
    await page.mouse.click(kernel.x, (await at(page, 0.5, y)).y);
    found ||= await page.locator('#inspector .inspected').isVisible();
    if (found) break;
  }
  expect(found).toBe(true);
  await expect(page.locator('#inspector')).toContainText('multi_tensor_apply<FusedAdam, f32>');
});

test('reads, chooses, zooms and clears with the keyboard alone', async ({ page }) => {
  await open(page, 'sampled');
  await strips(page).focus();
  await page.keyboard.press('ArrowRight');
  await expect(said(page)).toContainText('step/forward');
  for (let i = 0; i < 10; ++i) await page.keyboard.press('Shift+ArrowRight');
  await expect(page.locator('.time-chip strong')).toHaveText(/^4\.448.ms from 444\.8.µs$/);
  await expect(strips(page)).toBeFocused();
  const whole = await inked(page);
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  expect(await inked(page)).not.toBe(whole);
  await page.keyboard.press('PageDown');
  await page.keyboard.press('0');
  expect(await inked(page)).toBeCloseTo(whole, 3);
  await page.keyboard.press('Escape');
  await expect(page.locator('.time-chip')).toBeHidden();
});

test('the wheel zooms with Ctrl, and scrolls the page without', async ({ page }) => {
  await open(page, 'sampled');
  const place = await at(page, 0.5, 60);
  await page.mouse.move(place.x, place.y);
  const whole = await inked(page);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -200);
  await page.keyboard.up('Control');
  await expect.poll(() => inked(page)).not.toBe(whole);
  await page.getByRole('button', { name: 'Whole time' }).click();
  expect(await inked(page)).toBeCloseTo(whole, 3);
});

test('phases are marks on the roofline, joined in time; one chooses its time', async ({ page }) => {
  await open(page, 'sampled');
  const before = await marks(page).count();
  await choice(page, 'Phases', 'on').click();
  await expect(choice(page, 'Phases', 'on')).toBeFocused();
  await expect(page).toHaveURL(/phases=/);
  // Each of the 41 phases has operations and bytes.
  expect(await marks(page).count()).toBe(before + 41);
  await page.locator('#time details.phases summary').click();
  await expect(page.locator('.phases tbody tr')).toHaveCount(41);
  await open(page, 'sampled', '#phases=&time=0,4');
  await page.locator('#time details.phases summary').click();
  await expect(page.locator('.phases tbody tr')).toHaveCount(41);
  expect(await marks(page).count()).toBeLessThan(before + 6);
});

test('passages through ranges may be very many', async ({ page }) => {
  await open(page, 'sampled-many-ranges', '', '.strips');
  expect(await inked(page)).toBeGreaterThan(0.1);
});

test('names are text, whatever is in them', async ({ page }) => {
  await open(page, 'sampled-hostile');
  const place = await at(page, 0.4, 60);
  await page.mouse.click(place.x, place.y);
  expect(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined();
});

onEveryScreen('strips fit, and axe has nothing to object to', async (page) => {
  await open(page, 'sampled', '#time=5,12&phases=');
  await page.getByText('What was sampled').click();
  await page.locator('#time details.phases summary').click();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(await page.evaluate(() => innerWidth));
  expect(await collisions(page.locator('.plot'), '.name, .x-tick, .y-tick')).toEqual([]);
  expect(await clipped(page)).toEqual([]);
  expect(await violations(page)).toEqual([]);
  expect(await inked(page)).toBeGreaterThan(0.1);
});

test('of a watched device is all that the page has, beside ceilings and environment', async ({ page }) => {
  await open(page, 'watched', '', '.strips');
  await expect(page.locator('#time')).toBeVisible();
  await expect(said(page)).toContainText('Sampled for 44.48');
  await expect(page.locator('#points')).toBeHidden();
  await expect(page.locator('.stage')).toBeHidden();
  await expect(page.locator('.jumps button:visible')).toHaveText(['Over time', 'Ceilings', 'Environment']);
  expect(await inked(page)).toBeGreaterThan(0.05);
  await page.getByText('What was sampled').click();
  await expect(page.locator('.samples')).toContainText('which kernels ran is unknown: rooflinectl watch samples the GPU, not a program.');
});

onEveryScreen('strips of a watched device fit', async (page) => {
  await open(page, 'watched', '', '.strips');
  await expect(page.locator('#time')).toBeVisible();
  expect(await clipped(page)).toEqual([]);
  expect(await violations(page)).toEqual([]);
});

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
  test('a finger chooses a time', async ({ page }) => {
    await open(page, 'sampled');
    await strips(page).evaluate((element) => element.scrollIntoView({ block: 'start' }));
    const { y } = await at(page, 0, 120);
    const touches = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number): Promise<void> =>
      touches.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y }] });
    await touch('touchStart', 100);
    for (let x = 110; x <= 250; x += 10) await touch('touchMove', x);
    await touch('touchEnd');
    await expect(page).toHaveURL(/time=/);
  });
});
