// SPDX-License-Identifier: Apache-2.0
// The page of a comparison: of a program, and of a ladder.
import { expect, type Page } from '@playwright/test';
import { clipped, collisions, onEveryScreen, violations } from './checks';
import { addressOf } from './reports';
import { test, watch } from './support';

const PAGES = ['compared-program', 'compared-ladder'];

async function open(page: Page, name: string): Promise<void> {
  watch(page);
  await page.goto(addressOf(name, 'comparison'));
  await expect(page.locator('.movement svg')).toBeVisible();
}

for (const name of PAGES) {
  onEveryScreen(name, async (page, { width, colorScheme, isTouch }) => {
    await open(page, name);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await collisions(page.locator('.movement .frame'), 'text')).toEqual([]);
    expect(await clipped(page)).toEqual([]);
    const mark = page.locator('.movement .arrow circle').last();
    await mark.scrollIntoViewIfNeeded();
    const box = (await mark.boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await (isTouch ? page.touchscreen.tap(x, y) : page.mouse.click(x, y));
    await expect(page.locator('.movement .said')).not.toContainText('Choose');
    await expect(page.locator('tr.active')).toHaveCount(1);
    await expect(page.locator('.movement .arrow.active')).toHaveCount(1);
    expect(await violations(page)).toEqual([]);
    if (colorScheme === 'dark') {
      const light = await page.evaluate(() => [...document.querySelectorAll('body, .movement .frame, figure, .track')].filter((element) => /rgb\((2[3-5]\d), (2[3-5]\d), (2[3-5]\d)\)/.test(getComputedStyle(element).backgroundColor)).length);
      expect(light, 'light boxes on dark paper').toBe(0);
    }
  });
}

test('time won and lost adds up to the whole, the largest first, and names what only one run has', async ({ page }) => {
  await open(page, 'compared-program');
  const rows = page.locator('.waterfall li');
  const ms = async (row: number): Promise<number> => {
    const text = (await rows.nth(row).locator('.amount').textContent())!.replace('−', '-');
    if (text === '±0') return 0;
    const [, number, unit] = /([-+]?[\d.]+)\s*(\S+)/.exec(text)!;
    return Number(number) * ({ s: 1000, ms: 1, µs: 1e-3, ns: 1e-6 }[unit!] as number);
  };
  const count = await rows.count();
  let sum = await ms(0);
  for (let i = 1; i + 1 < count; ++i) sum += await ms(i);
  // They are shown with four digits.
  expect(Math.abs(sum / (await ms(count - 1)) - 1)).toBeLessThan(1e-3);
  expect(Math.abs(await ms(1))).toBeGreaterThanOrEqual(Math.abs(await ms(2)));
  await expect(page.locator('.waterfall .introduced')).toContainText('fused_norm_and_copy');
  await expect(page.locator('.waterfall .eliminated')).toHaveCount(1);
  await expect(rows.nth(count - 2)).toContainText('others');
});

test('keys move between arrows, and a row and its arrow belong together', async ({ page }) => {
  await open(page, 'compared-ladder');
  await page.locator('.movement .frame').focus();
  await page.keyboard.press('ArrowRight');
  const first = await page.locator('.movement .said').textContent();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('.movement .said')).not.toHaveText(first ?? '');
  await page.keyboard.press('Escape');
  await expect(page.locator('tr.active')).toHaveCount(0);
  await page.locator('table.points button.point').nth(1).click();
  await expect(page.locator('.movement .arrow.active')).toHaveAttribute('data-point', '1');
});

test('without scripts the page shows the picture and the table', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, colorScheme: 'dark' });
  const page = await context.newPage();
  await page.goto(addressOf('compared-ladder', 'comparison'));
  await expect(page.locator('figure > svg')).toBeVisible();
  await expect(page.locator('table.points tr.slower')).toHaveCount(2);
  await context.close();
});

test('runs with nothing in common have a sentence alone', async ({ page }) => {
  watch(page);
  await page.goto(addressOf('unrelated', 'comparison'));
  await expect(page.locator('h2')).toHaveText([/^The runs have no points in common; \d+ only in the base, \d+ only in the new run\.$/]);
  await expect(page.locator('.movement, .waterfall, table')).toHaveCount(0);
  await expect(page.locator('ul.runs li')).toHaveCount(2);
});
