// SPDX-License-Identifier: Apache-2.0
// Where and how the page is read: without a mouse, without a script, on a phone, in the dark, on paper.
import AxeSource from 'axe-core';
import { expect, type Page } from '@playwright/test';
import { addressOf, recordedTime } from './reports';
import { marks, open, row, rows, test } from './support';

async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(AxeSource.source);
  const { violations } = await page.evaluate(() => (window as any).axe.run(document, { resultTypes: ['violations'] }));
  return violations.filter(({ impact }: any) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }: any) => `${id}: ${nodes.map((node: any) => node.target.join(' ')).slice(0, 5).join(' | ')}`);
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe has no serious finding, ${colorScheme}`, async ({ browser }) => {
    const context = await browser.newContext({ colorScheme, bypassCSP: true });
    const page = await context.newPage();
    await open(page, 'everything');
    await row(page, 'V4 cold').click();
    await row(page, 'V5 cold').click();
    expect(await seriousFindings(page)).toEqual([]);
  });
}

test('dark and light follow the system, and the switch overrides it', async ({ browser }) => {
  const page = await (await browser.newContext({ colorScheme: 'dark' })).newPage();
  await open(page, 'shipped');
  const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const chart = (): Promise<string | null> => page.locator('.plot .paper').evaluate((paper) => getComputedStyle(paper).fill);
  expect(await paper()).toBe('rgb(20, 24, 29)');
  expect(await chart()).toBe('rgb(20, 24, 29)');
  const button = page.getByRole('button', { name: /^Theme/ });
  await button.click();
  await button.click();
  await expect(button).toHaveText('Theme: light');
  expect(await paper()).toBe('rgb(255, 255, 255)');
  expect(await chart()).toBe('rgb(255, 255, 255)');
});

test('marks have the colours of the pictures, on dark paper too', async ({ browser }) => {
  for (const [colorScheme, colour] of [['light', 'rgb(0, 114, 178)'], ['dark', 'rgb(61, 155, 224)']] as const) {
    const page = await (await browser.newContext({ colorScheme })).newPage();
    await open(page, 'shipped');
    await expect(page.locator('.legend .glyph path').first()).toHaveCSS('fill', colour);
    await expect(page.locator('.plot .marks path').last()).toBeVisible();
    const fills = await marks(page).evaluateAll((paths) => paths.map((path) => getComputedStyle(path).fill));
    expect(fills).toContain(colour);
  }
});

test('everything can be done with the keyboard', async ({ page }) => {
  await open(page, 'shipped');
  const frame = page.locator('.frame');
  await frame.focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('#tooltip')).toContainText('V0');
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('#tooltip')).toContainText('V1');
  await expect(page.getByRole('status').filter({ hasText: /^V1: .*, time \d/ })).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(page.locator('#inspector h2')).toContainText('V1');
  await page.keyboard.press('+');
  await expect(page).toHaveURL(/zoom=/);
  await page.keyboard.press('0');
  await expect(page).not.toHaveURL(/zoom=/);
  await page.keyboard.press('Escape');
  await expect(page.locator('#tooltip')).toBeHidden();
  await row(page, 'V3').locator('button').focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('.pins thead th')).toHaveText([/V1/, /V3/]);
  await expect(row(page, 'V3').locator('button')).toBeFocused();
  await page.locator('th[data-column="time"] button').focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('th[data-column="time"] button')).toBeFocused();
  await page.locator('.legend button').first().focus();
  await page.keyboard.press('Space');
  await expect(rows(page)).toHaveCount(4);
  await expect(page.locator('.legend button').first()).toBeFocused();
});

test('Tab reaches every control', async ({ page }) => {
  await open(page, 'shipped');
  const seen = new Set<string>();
  for (let i = 0; i < 80; ++i) {
    await page.keyboard.press('Tab');
    seen.add(await page.evaluate(() => `${document.activeElement?.className}|${document.activeElement?.textContent?.slice(0, 20)}`));
  }
  for (const text of ['PNG', 'JSON', 'measured', 'executed', 'Zoom to points', 'ladder', 'issue slots', 'V0', 'time']) {
    expect([...seen].some((entry) => entry.includes(text)), text).toBe(true);
  }
  expect([...seen].some((entry) => entry.startsWith('frame'))).toBe(true);
});

test('on a phone nothing is wider than the screen, and a tap pins', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await open(page, 'shipped');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await row(page, 'V4').locator('button').tap();
  await expect(page.locator('#inspector h2')).toContainText('V4');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

test('without a script there are the picture and the tables', async ({ browser }) => {
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await page.goto(addressOf('shipped'));
  await expect(page.locator('figure > svg').first()).toBeVisible();
  await expect(page.locator('table.points').first()).toContainText(recordedTime('reduce_v4_add_on_load'));
  await expect(page.locator('table.ceilings')).toContainText('DRAM read');
  await expect(page.locator('table.facts')).toContainText('580.159.04');
});

for (const name of ['shipped', 'everything', 'points-2000']) {
  test(`the print view of ${name} fits two A4 pages`, async ({ page }) => {
    await open(page, name);
    const pdf = (await page.pdf({ format: 'A4', preferCSSPageSize: true, printBackground: true })).toString('latin1');
    const pages = pdf.match(/\/Type\s*\/Page\b(?!s)/g) ?? [];
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.length).toBeLessThanOrEqual(2);
  });
}

test('on paper, a program begins with where to begin and its chart, on one page', async ({ page }) => {
  await page.setViewportSize({ width: 1060, height: 1500 });
  await open(page, 'step');
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('.beginnings .loss .next').first()).toBeVisible();
  const above = async (selector: string): Promise<number> => (await page.locator(selector).first().boundingBox())!.y;
  expect(await above('.beginnings')).toBeLessThan(await above('.frame'));
  const frame = (await page.locator('.frame').boundingBox())!;
  // An A4 page at the width that the content needs.
  expect(frame.y + frame.height).toBeLessThan(1500);
  expect(frame.height).toBeLessThan(450);
});

test('every step from version to version is shown in light, in dark and on paper', async ({ page }) => {
  await open(page, 'shipped');
  const steps = page.locator('.steps > li');
  const count = await steps.count();
  expect(count).toBe(12);
  for (const theme of [{ colorScheme: 'light' }, { colorScheme: 'dark' }, { media: 'print' }] as const) {
    await page.emulateMedia(theme);
    await expect(steps.filter({ visible: true })).toHaveCount(count);
    const texts = await steps.locator('.what').evaluateAll((all) => all.filter((one) => getComputedStyle(one).color === getComputedStyle(document.body).backgroundColor).length);
    expect(texts, 'steps in the colour of the paper').toBe(0);
  }
});

// Limits are generous, since machines differ; the figures are printed.
for (const [name, points, limit] of [['shipped', 14, 10_000], ['points-2000', 2000, 20_000], ['points-10000', 10_000, 60_000]] as const) {
  test(`${points} points: time to the first picture`, async ({ page }) => {
    const begin = Date.now();
    await page.goto(`${addressOf(name)}#sizes=all`, { waitUntil: 'commit' });
    await expect(marks(page).first()).toBeVisible({ timeout: limit });
    const first = await page.evaluate(() => performance.getEntriesByName('picture')[0]?.startTime ?? Infinity);
    const filtered = Date.now();
    await page.locator('#filter').fill('V7');
    await expect(page.locator('.points [role=status]').first()).toContainText('of');
    console.log(`${points} points: first picture after ${Math.round(first)} ms in the page, ${filtered - begin} ms in all; a filter takes ${Date.now() - filtered} ms`);
    expect(first).toBeLessThan(limit);
    await expect(page.locator('.pages')).toBeVisible({ visible: points > 1000 && (await rows(page).count()) === 200 });
  });
}
