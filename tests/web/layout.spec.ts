// SPDX-License-Identifier: Apache-2.0
// What a reader sees on any screen: nothing over anything else, nothing cut off, nothing that axe objects to.
import { expect, type Page } from '@playwright/test';
import { clipped, collisions, onEveryScreen, violations } from './checks';
import { choice, open, rows, test } from './support';

const PROGRAMS = ['program', 'step', 'products', 'fft'];
const PAGES = [...PROGRAMS, 'shipped', 'sizes'];
const TEXTS = '.name, .x-tick, .y-tick, .strip-tick, .x-title, .y-title, .strip-title';

/** Names beside marks that a roof runs through. */
async function crossed(page: Page): Promise<string[]> {
  return page.locator('.plot').evaluate((plot) => {
    const boxes = [...plot.querySelectorAll<SVGTextElement>('.name')].filter((text) => !/\/s$|^(DRAM|L1|L2|shared|FP\d+|TF32|BF16|INT\d+) (read|write|copy|peak|FMA|ADD|Tensor Core)/.test(text.textContent ?? ''))
      .map((text) => ({ content: text.textContent, box: text.getBoundingClientRect() }));
    const lines = [...plot.querySelectorAll<SVGPathElement>('.roof')].filter((line) => Number.parseFloat(getComputedStyle(line).strokeWidth) > 1.5);
    // Places on a line are slow to find: once for all names.
    const places = lines.flatMap((line) => {
      const matrix = line.getScreenCTM()!;
      return Array.from({ length: Math.floor(line.getTotalLength() / 2) + 1 }, (_, i) => line.getPointAtLength(2 * i).matrixTransform(matrix));
    });
    return boxes.filter(({ box }) => places.some(({ x, y }) => x > box.left + 2 && x < box.right - 2 && y > box.top + 3 && y < box.bottom - 3))
      .map(({ content }) => content ?? '');
  });
}

/** The numbers that labels of the chart begin with. */
async function numbersInChart(page: Page): Promise<number[]> {
  const texts = await page.locator('.plot .name').allTextContents();
  return texts.flatMap((text) => /^(\d+)( (?!smaller|\S+\/s$)|$)/.exec(text)?.[1] ?? []).map(Number);
}

/** The eight kernels that take longest and the chosen one have their names or numbers, where the table has the longest first. */
async function expectLongestInChart(page: Page): Promise<void> {
  // The longest first, each with the place that its label begins with; those without a mark in sight have no ring.
  const labelled: number[] = [];
  for (let i = 0; i < (await rows(page).count()) && labelled.length < 8; ++i) {
    const place = Number(await rows(page).nth(i).locator('.rank').textContent());
    if (place === 0) break;
    expect(place).toBe(i + 1);
    await rows(page).nth(i).locator('button.name').focus();
    if ((await page.locator('.overlay .ring.active').count()) > 0) labelled.push(place);
  }
  expect(labelled.length).toBeGreaterThan(2);
  const numbers = await numbersInChart(page);
  expect(numbers.sort((a, b) => a - b)).toEqual(labelled);
  // What is a number alone is in the key.
  const alone = (await page.locator('.plot .name').allTextContents()).filter((text) => /^\d+$/.test(text)).sort((a, b) => Number(a) - Number(b));
  expect(await page.locator('.chart-key strong').allTextContents()).toEqual(alone);
  const last = rows(page).filter({ has: page.locator('.rank:not(:empty)') }).last();
  const place = Number(await last.locator('.rank').textContent());
  await last.locator('button.name').focus();
  const hasMark = (await page.locator('.overlay .ring.active').count()) > 0;
  await last.locator('button.name').click();
  if (hasMark) expect(await numbersInChart(page)).toContain(place);
}

/** Names of ranges and values of roofs are whole. */
async function expectWhole(page: Page, width: number): Promise<void> {
  const cut = await page.locator('button.range').evaluateAll((all) => all.filter((range) => {
    const edge = range.getBoundingClientRect();
    return [...range.querySelectorAll<HTMLElement>('.line > span')].some((text) => {
      const { left, right } = text.getBoundingClientRect();
      return left < edge.left - 1 || right > edge.right + 1 || getComputedStyle(text).textOverflow === 'ellipsis';
    });
  }).map((range) => range.textContent));
  expect(cut).toEqual([]);
  const kernels = await rows(page).evaluateAll((all) => all.flatMap((one) => {
    const [name, text] = [one.querySelector('.copy')?.getAttribute('aria-label')?.slice('Copy '.length) ?? '', one.querySelector<HTMLElement>('button.name .text')!];
    return name.length > 90 || (text.textContent === name && getComputedStyle(text).textOverflow !== 'ellipsis') ? [] : [text.textContent];
  }));
  expect(kernels).toEqual([]);
  // The links are in sight, too.
  expect(await page.locator('.actions').evaluate((links) => links.scrollWidth - links.clientWidth)).toBeLessThanOrEqual(0);
  if (width < 1000) return;
  const texts = await page.locator('.plot .name').allTextContents();
  const roofs = texts.filter((text) => /^(DRAM|FP\d+|TF32|BF16) /.test(text));
  const values = texts.filter((text) => /[\d.]+\s[GTP]\S+\/s$/.test(text));
  expect(roofs.length).toBeGreaterThan(0);
  expect(values.length).toBeGreaterThanOrEqual(roofs.length);
}

for (const name of PAGES) {
  onEveryScreen(name, async (page, { width }) => {
    await open(page, name);
    const check = async (): Promise<void> => {
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      expect(await collisions(page.locator('.plot'), TEXTS)).toEqual([]);
      expect(await crossed(page)).toEqual([]);
      expect(await clipped(page)).toEqual([]);
    };
    await check();
    if (PROGRAMS.includes(name)) await expectWhole(page, width);
    await rows(page).first().locator('button.name').click();
    await expect(page.locator('#inspector h2')).toBeVisible();
    await check();
    expect(await violations(page)).toEqual([]);
    if ((await choice(page, 'Memory level', 'l2').count()) > 0) {
      await choice(page, 'Memory level', 'l2').click();
      await check();
    }
    const headings = [...(width >= 1400 && PROGRAMS.includes(name) ? ['could save', 'tensor'] : []), 'could save/step', 'share', '% of roofline', 'bound by', 'time'];
    for (const heading of headings) {
      const cell = page.locator(`table.points th[data-column="${heading}"]`);
      if ((await cell.count()) === 0) continue;
      if (heading === 'time' && name !== 'shipped') continue;
      const [box, table] = [await cell.boundingBox(), (await page.locator('#points .scroll').boundingBox())!];
      expect(box === null ? heading : '', `${heading} is hidden`).toBe('');
      expect(box!.x + box!.width, `${heading} is in sight`).toBeLessThanOrEqual(Math.min(width, table.x + table.width));
    }
    if (!PROGRAMS.includes(name)) return;
    await page.evaluate(() => { location.hash = 'sort=-share'; });
    await expect(page.locator('.beginnings')).toBeVisible();
    await expectLongestInChart(page);
  });
}

/** Of elements: the part of their height that is on the first screen. */
const inSight = (page: Page, selector: string): Promise<number> => page.locator(selector).first().evaluate((element) => {
  const { top, height } = element.getBoundingClientRect();
  return height > 0 ? Math.min(1, Math.max(0, (window.innerHeight - top) / height)) : 0;
});

for (const [name, losses] of [['step', ['GPU idle', 'fusing 7 DRAM-bound kernels']], ['ranks-step', ['GPU idle', 'waiting in collectives']]] as const) {
  onEveryScreen(`the first screen has the largest loss, its cause and what to do: ${name}`, async (page) => {
    await open(page, name);
    expect(await inSight(page, '.headline')).toBe(1);
    // Numbers and their units stay together.
    for (const text of await page.locator('.headline, .figures dd, .beginnings summary').allTextContents()) expect(text).not.toMatch(/\d (%|[nµm]?s\b)/);
    const first = page.locator('.beginnings > ol > li').first();
    expect(await inSight(page, '.beginnings > ol > li')).toBe(1);
    await expect(first).toContainText(losses[0]);
    await expect(first).toContainText(/\d\sms\d+\.\d\s% of a step\. .*Next: /);
    await expect(page.locator('.beginnings > ol > li').nth(1)).toContainText(losses[1]);
    await first.locator('summary').click();
    await expect(first.locator('summary')).toBeFocused();
    await expect(first.locator('table').first()).toBeVisible();
    // Why and what of a kernel are in sight at a click.
    await page.locator('.beginnings > ol > li > button').first().click();
    await expect(page.locator('#inspector .action')).toContainText('Next: ');
    await expect.poll(() => inSight(page, '#inspector h2')).toBe(1);
  });
}

onEveryScreen('the first screen has the ranks side by side if one makes the others wait, on a phone at a click', async (page, { width }) => {
  await open(page, 'ranks-step');
  await expect(page.locator('.headline').first()).toContainText(/67\s% of it for rank 0, whose CPU launches late/);
  const loss = page.locator('.beginnings .waiting');
  expect(await inSight(page, '.beginnings .waiting summary')).toBe(1);
  if (width < 761) await loss.locator('summary').click();
  const ranks = loss.locator('.side-by-side dl > div');
  await expect(ranks).toHaveCount(2);
  await expect(ranks.nth(0)).toHaveText(/^rank 0 · last in 63\s% · GPU busy [\d.]+\s%, waiting [\d.]+\s%, idle [\d.]+\s%$/);
  await ranks.nth(1).scrollIntoViewIfNeeded();
  if (width >= 761) expect(await page.evaluate(() => window.scrollY)).toBe(0);
  // Rank 1 waits for most of the time in its collectives, rank 0 for hardly any.
  const waits = await ranks.evaluateAll((all) => all.map((rank) => ['.waiting', '.collective'].map((kind) =>
    [...(rank.querySelector(`.rank-lane ${kind}`)?.getAttribute('d') ?? '').matchAll(/ 0h([\d.]+)v/g)].reduce((sum, [, length]) => sum + Number(length), 0))));
  expect(waits[1]![0]!).toBeGreaterThan(5 * waits[1]![1]!);
  expect(waits[0]![0]!).toBeLessThan(0.1 * waits[1]![0]!);
  // The chart comes after: it shows nothing of this.
  expect(await page.evaluate(() => document.querySelector('#begin')!.getBoundingClientRect().top < document.querySelector('.plot')!.getBoundingClientRect().top)).toBe(true);
  expect(await clipped(page)).toEqual([]);
  expect(await violations(page)).toEqual([]);
});

onEveryScreen('the first screen says how close a plan comes to the roofline, and a focus stays where it is', async (page) => {
  await open(page, 'shipped');
  expect(await inSight(page, '.heading .headline')).toBe(1);
  await expect(page.locator('.heading .headline')).toContainText('Closest to the roofline: ');
  const level = choice(page, 'Memory level', 'l2');
  await level.click();
  await expect(level).toBeFocused();
});

for (const scheme of ['light', 'dark'] as const) {
  test(`what bounds kernels looks like nothing else, ${scheme} and on paper`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await open(page, 'step');
    await expect(page.locator('.bound-chips')).toContainText(/short kernels.*tail.*latency/);
    for (const media of ['screen', 'print'] as const) {
      await page.emulateMedia({ media, colorScheme: scheme });
      const bounds = await page.locator('.bound-chips .swatch').evaluateAll((all) => all.map((one) => [one.parentElement?.textContent ?? '', getComputedStyle(one).background] as const));
      const colours = new Map(bounds);
      expect(colours.size).toBeGreaterThan(6);
      expect(new Set(colours.values()).size).toBe(colours.size);
    }
  });
}

onEveryScreen('the evidence of idle time is whole, names and numbers', async (page) => {
  for (const name of ['step', 'ranks-step']) {
    await open(page, name);
    await page.locator('.beginnings summary', { hasText: 'GPU idle' }).click();
    const loss = page.locator('.loss[open]', { hasText: 'Idle time before each kernel' });
    await expect(loss.locator('tbody tr').first()).toBeVisible();
    const cut = await loss.evaluate((element) => {
      const edge = element.getBoundingClientRect().right;
      return [...element.querySelectorAll('summary > *, th, td')].filter((part) => part.getBoundingClientRect().right > edge + 1).map((part) => part.textContent);
    });
    expect(cut).toEqual([]);
  }
});

test('what saves nothing is not shown as saving', async ({ page }) => {
  for (const name of ['step', 'products', 'program']) {
    await open(page, name);
    for (const table of ['kernels', 'names', 'ranges', 'types']) {
      await page.locator(`.table-tabs button[data-value="${table}"]`).click();
      for (const part of ['.stage', '#program']) await expect(page.locator(part)).not.toContainText(/(^|[^\d.])0\sns/);
    }
  }
  await open(page, 'step');
  await page.locator('.bound-chips button[data-value="launch-overhead"]').click();
  await expect(page.locator('.beginnings')).toContainText('None of the kernels shown could save time.');
  await rows(page).first().locator('button.name').click();
  await expect(page.locator('#inspector .action')).toContainText('so short that only fewer launches would save time');
});

test('no column of a program is cut off beside the inspector', async ({ page }) => {
  for (const width of [1400, 1600, 1800]) {
    await page.setViewportSize({ width, height: 1000 });
    await open(page, 'step');
    const [content, box] = await page.locator('#points .scroll').evaluate((element) => [element.scrollWidth, element.clientWidth]);
    expect(content).toBeLessThanOrEqual(box as number);
  }
});

for (const width of [390, 600]) {
  test(`a tap on a mark chooses its point, ${width} pixels`, async ({ browser }) => {
    const context = await browser.newContext({ viewport: { width, height: 844 }, hasTouch: true, isMobile: true });
    const page = await context.newPage();
    for (const name of ['shipped', 'step']) {
      await open(page, name);
      const mark = page.locator('.plot .marks path').last();
      await mark.scrollIntoViewIfNeeded();
      const box = (await mark.boundingBox())!;
      await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
      await expect(page.locator('#inspector h2')).not.toBeEmpty();
      await expect(page).toHaveURL(/pin=/);
    }
  });
}

for (const name of ['several-devices', 'everything', 'primitives', 'energy', 'over-links', 'ranks-step', 'two-ranks']) {
  test(`nothing reaches beyond a phone's screen: ${name}`, async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open(page, name, '', 'h1');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    const cut = await page.locator('.switch button').evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().right > window.innerWidth).map((one) => one.textContent));
    expect(cut).toEqual([]);
  });
}

test('rows of the ceilings are as high as their texts, on a phone too', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, 'everything');
  const heights = await page.locator('#ceilings tbody tr').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  expect(Math.max(...heights)).toBeLessThan(100);
});
