// SPDX-License-Identifier: Apache-2.0
import { expect, test as base, type BrowserContextOptions, type Download, type Locator, type Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { addressOf } from './reports';

/** Tests take turns in one tab for each kind of screen: a tab of its own would take a test as long as to load the page. */
export const test = base.extend<object, { tabOf: (screen: BrowserContextOptions) => Promise<Page> }>({
  tabOf: [async ({ browser }, use) => {
    const tabs = new Map<string, Page>();
    await use(async (screen) => {
      const kind = JSON.stringify(screen);
      const tab = tabs.get(kind) ?? await (await browser.newContext(screen)).newPage();
      tabs.set(kind, tab);
      for (const event of ['pageerror', 'console', 'request'] as const) tab.removeAllListeners(event);
      await tab.mouse.move(0, 0);
      return tab;
    });
    for (const tab of tabs.values()) await tab.context().close();
  }, { scope: 'worker' }],
  page: async ({ tabOf, viewport, hasTouch, isMobile }, use) => {
    const page = await tabOf({ viewport, hasTouch, isMobile });
    await use(page);
    await page.emulateMedia({ media: null, colorScheme: null });
    if (viewport) await page.setViewportSize(viewport);
  },
});

/** From now on the test fails if the page logs an error to the console or requests anything from the network. */
export function watch(page: Page): void {
  page.on('pageerror', (error) => { throw error; });
  page.on('console', (message) => { if (message.type() === 'error') throw new Error(message.text()); });
  page.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url())) throw new Error(`asks for ${request.url()}`); });
}

/** Opens the page of a run, watched, once it shows its chart, or whatever else shows that it is there. */
export async function open(page: Page, name: string, hash = '', shown = '.plot svg'): Promise<void> {
  watch(page);
  await page.goto(addressOf(name) + hash);
  await expect(page.locator(shown).first()).toBeVisible();
}

/** Filled and hollow marks of points. */
export const marks = (page: Page): Locator => page.locator('.plot .marks path');
export const rows = (page: Page): Locator => page.locator('table.points tbody tr');
export const row = (page: Page, label: string): Locator => rows(page).filter({ has: page.locator('button.name', { hasText: new RegExp(`^${label}\\d?$`) }) });
export const choice = (page: Page, legend: string, value: string): Locator =>
  page.locator('fieldset.switch', { has: page.locator('legend', { hasText: legend }) }).locator(`button[data-value="${value}"]`);

/** The middle of the ring that the chart draws around the point of a row under the pointer. */
export async function placeOf(page: Page, label: string): Promise<{ x: number; y: number }> {
  await row(page, label).hover();
  const box = await page.locator('.overlay .ring.active').first().boundingBox();
  if (!box) throw new Error(`${label} is not in the chart`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

export async function contentOf(download: Download): Promise<Buffer> {
  return readFileSync(await download.path());
}
