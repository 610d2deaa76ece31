// SPDX-License-Identifier: Apache-2.0
import { expect, test, type Page } from '@playwright/test';
import { addressOf } from './reports';

/** Opens a page; the test fails if it says anything in the console or asks the network for anything. */
export async function open(page: Page, name: string, hash = ''): Promise<void> {
  page.on('pageerror', (error) => { throw error; });
  page.on('console', (message) => { if (message.type() === 'error') throw new Error(message.text()); });
  page.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url())) throw new Error(`asks for ${request.url()}`); });
  await page.goto(addressOf(name) + hash);
  await expect(page.locator('.plot .main-svg').first()).toBeVisible();
}

test('a click on a row pins the point, and the chart shows it', async ({ page }) => {
  await open(page, 'shipped');
  await page.locator('table.points tbody tr', { hasText: 'V3' }).click();
  await expect(page.locator('.pins')).toContainText('V3');
  await expect(page.locator('.overlay .ring')).not.toHaveCount(0);
  expect(page.url()).toContain('pin=');
});
