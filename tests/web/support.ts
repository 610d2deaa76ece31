// SPDX-License-Identifier: Apache-2.0
import { expect, type Download, type Locator, type Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { addressOf } from './reports';

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
