// SPDX-License-Identifier: Apache-2.0
// The operators and modules of PyTorch that launched a program's kernels: a tree that filters, a column, and the inspector.
import { expect, type Page } from '@playwright/test';
import { clipped, onEveryScreen, violations } from './checks';
import { marks, open, row, rows, test } from './support';

const tree = (page: Page) => page.locator('nav.ranges');
const node = (page: Page, path: string) => tree(page).locator(`button.range[data-value="${path}"]`);
const cell = async (page: Page, label: string, title: string): Promise<string | undefined> => {
  const heads = await page.locator('table.points thead th').allTextContents();
  // The first cell of a row is a heading, too.
  return (await row(page, label).locator('th, td').allTextContents())[heads.findIndex((head) => head.startsWith(title))]?.replace(/\u00a0/g, ' ');
};
const ADD = 'elementwise<add, bf16>';

test('are absent without a trace', async ({ page }) => {
  await open(page, 'program');
  await expect(tree(page).locator('h2')).toHaveText('NVTX ranges per step');
  expect(await page.locator('table.points thead th').allTextContents()).not.toContain('operator');
});

test('are a column and in the inspector', async ({ page }) => {
  await open(page, 'traced');
  expect(await cell(page, ADD, 'operator')).toBe('aten::add +1');
  expect(await cell(page, 'flash_fwd<bf16, hdim 64, causal>', 'operator')).toBe('–');
  await row(page, ADD).click();
  await expect(page.locator('.inspector')).toContainText('Launched by: aten::add 50.0 %, aten::mul 50.0 %');
  await page.getByText('From 3 places').click();
  await page.locator('.inspector').getByRole('button', { name: 'Block_0/aten::add' }).click();
  await expect(page).toHaveURL(/scope=Block_0%2Faten%3A%3Aadd/);
  await expect(rows(page)).toHaveCount(1);
  await expect(page.locator('#program')).toContainText('Matched with PyTorch\'s trace: 46.3 % of GPU time, 8 of its 8 kernel launches');
});

test('are a tree beside that of NVTX ranges: a module filters everything with its part of each group', async ({ page }) => {
  await open(page, 'traced');
  await expect(node(page, 'step')).toBeVisible();
  await tree(page).getByRole('button', { name: 'Modules' }).click();
  await expect(tree(page)).toContainText('Estimates');
  await expect(tree(page).locator('li').last()).toContainText('not in the trace');
  const before = await marks(page).count();
  await page.getByRole('button', { name: 'More columns' }).click();
  expect(await cell(page, ADD, 'total')).toBe('2.624 ms');
  await node(page, 'Block_0').click();
  await expect(page).toHaveURL(/scope=Block_0/);
  await expect(rows(page)).toHaveCount(3);
  expect(await marks(page).count()).toBeLessThan(before);
  // 3 of 8 µs of its time, 1 of 3 of its launches.
  expect(await cell(page, ADD, 'total')).toBe('984.0 µs');
  expect(await cell(page, ADD, 'launches')).toBe('215');
  await expect(node(page, 'Block_1')).toBeVisible();
  await expect(node(page, 'Block_0')).toHaveAttribute('aria-pressed', 'true');
  await page.locator('button.chip', { hasText: 'module: Block_0' }).click();
  await expect(rows(page)).toHaveCount(13);
  await node(page, '').click();
  await expect(rows(page)).toHaveCount(9);
  await page.getByRole('button', { name: 'Show all launch groups' }).click();
  await expect(rows(page)).toHaveCount(13);
});

test('of an address are chosen; ranges and modules are chosen together', async ({ page }) => {
  await open(page, 'traced', '#scope=Block_1');
  await expect(node(page, 'Block_1')).toHaveAttribute('aria-pressed', 'true');
  await tree(page).getByRole('button', { name: 'NVTX ranges' }).click();
  await node(page, 'step/optimizer').click();
  await expect(rows(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove all filters' }).click();
  await expect(rows(page)).toHaveCount(13);
});

test('of a part of a launch are in the table, too', async ({ page }) => {
  // One launch, of which a third is of the module.
  await open(page, 'sampled-traced', '#scope=Block_0&time=0.12,0.131');
  await expect(rows(page)).toHaveCount(1);
  await expect(row(page, ADD)).toBeVisible();
});

test('are found by the filter', async ({ page }) => {
  await open(page, 'traced');
  // Not the first operator of its group.
  await page.locator('#filter').fill('aten::mul');
  await expect(rows(page)).toHaveCount(1);
});

test('of a real training step sum up as its ranges do', async ({ page }) => {
  await open(page, 'step-traced');
  await tree(page).getByRole('button', { name: 'Modules' }).click();
  for (let layer = 0; layer < 8; ++layer) await expect(node(page, `Sequential_0/Block_${layer}`)).toContainText(/4\.\d\s%1\.1\d\d\sms/);
  await tree(page).getByRole('button', { name: 'Open Block_2', exact: true }).click();
  await expect(node(page, 'Sequential_0/Block_2/MultiheadAttention_2')).toBeVisible();
  await tree(page).getByRole('button', { name: 'Icicle' }).click();
  await expect(tree(page).locator('.icicle button', { hasText: 'Optimizer.step#AdamW.step' })).toBeVisible();
});

test('are text', async ({ page }) => {
  await open(page, 'traced-hostile');
  await tree(page).getByRole('button', { name: 'Modules' }).click();
  await row(page, ADD).click();
  await page.getByText('From 3 places').click();
  expect(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined();
  await expect(page.locator('nav.ranges b, .inspector b, table.points b')).toHaveCount(0);
});

onEveryScreen('the page with operators', async (page) => {
  await open(page, 'step-traced');
  await tree(page).getByRole('button', { name: 'Modules' }).click();
  await rows(page).first().locator('button.name').click();
  await page.getByText(/^From \d+ places?$/).click();
  expect(await clipped(page)).toEqual([]);
  expect(await violations(page)).toEqual([]);
});
