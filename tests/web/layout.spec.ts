// SPDX-License-Identifier: Apache-2.0
// What a reader sees on any screen: nothing over anything else, nothing cut off, nothing that axe objects to.
import { expect, test, type Page } from '@playwright/test';
import { clipped, SCREENS, violations } from './checks';
import { choice, open, rows } from './support';

const PAGES = ['program', 'step', 'shipped', 'sizes'];

/** Texts of the chart that lie over each other, over a mark's middle, or outside of the chart. */
async function collisions(page: Page): Promise<string[]> {
  return page.locator('.plot').evaluate((plot) => {
    const frame = plot.getBoundingClientRect();
    const texts = [...plot.querySelectorAll<SVGTextElement>('.annotation-text, .xtick text, .ytick text, .x2tick text, .xtitle, .ytitle, .x2title')]
      .map((text) => ({ content: text.textContent ?? '', box: text.getBoundingClientRect(), isTurned: /rotate/.test(text.closest('.annotation')?.querySelector('.annotation-text-g')?.getAttribute('transform') ?? '') }))
      .filter(({ content, box }) => content !== '' && box.width > 0);
    const found: string[] = [];
    texts.forEach((a, i) => {
      if (a.box.left < frame.left - 1 || a.box.right > frame.right + 1 || a.box.top < frame.top - 1 || a.box.bottom > frame.bottom + 1) found.push(`${a.content}: cut off`);
      // The box of a slanted text is far larger than the text.
      if (a.isTurned) return;
      for (const b of texts.slice(i + 1)) {
        if (b.isTurned) continue;
        const width = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const height = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        if (width > 1 && height > 2) found.push(`${a.content} × ${b.content}`);
      }
    });
    return found;
  });
}

/** Names beside marks that a roof runs through. */
async function crossed(page: Page): Promise<string[]> {
  return page.locator('.plot').evaluate((plot) => {
    const boxes = [...plot.querySelectorAll<SVGTextElement>('.annotation-text')].filter((text) => !/\/s$|^(DRAM|L1|L2|shared|FP\d+|TF32|BF16|INT\d+) (read|write|copy|peak|FMA|ADD|Tensor Core)/.test(text.textContent ?? ''))
      .map((text) => ({ content: text.textContent, box: text.getBoundingClientRect() }));
    const lines = [...plot.querySelectorAll<SVGPathElement>('.js-line')].filter((line) => Number.parseFloat(getComputedStyle(line).strokeWidth) > 1.5);
    return boxes.filter(({ box }) => lines.some((line) => {
      const matrix = line.getScreenCTM()!;
      const length = line.getTotalLength();
      for (let at = 0; at <= length; at += 2) {
        const { x, y } = line.getPointAtLength(at).matrixTransform(matrix);
        if (x > box.left + 2 && x < box.right - 2 && y > box.top + 3 && y < box.bottom - 3) return true;
      }
      return false;
    })).map(({ content }) => content ?? '');
  });
}

for (const name of PAGES) {
  for (const { width, height, colorScheme, isTouch } of SCREENS) {
    test(`${name} at ${width} pixels, ${colorScheme}${isTouch ? ', touch' : ''}`, async ({ browser }) => {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme, hasTouch: isTouch, isMobile: isTouch, bypassCSP: true });
      const page = await context.newPage();
      await open(page, name);
      const check = async (): Promise<void> => {
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        expect(await collisions(page)).toEqual([]);
        expect(await crossed(page)).toEqual([]);
        expect(await clipped(page)).toEqual([]);
      };
      await check();
      await rows(page).first().locator('button.name').click();
      await expect(page.locator('#inspector h2')).toBeVisible();
      await check();
      expect(await violations(page)).toEqual([]);
      if ((await choice(page, 'Memory level', 'l2').count()) > 0) {
        await choice(page, 'Memory level', 'l2').click();
        await check();
      }
      for (const heading of ['share', '% of roofline', 'bound by', 'time']) {
        const cell = page.locator(`table.points th[data-column="${heading}"]`);
        if ((await cell.count()) === 0) continue;
        if (heading === 'time' && name !== 'shipped') continue;
        const box = await cell.boundingBox();
        expect(box === null ? heading : '', `${heading} is hidden`).toBe('');
        expect(box!.x + box!.width, `${heading} is in sight`).toBeLessThanOrEqual(width);
      }
      await context.close();
    });
  }
}

for (const width of [390, 600]) {
  test(`a tap on a mark chooses its point, ${width} pixels`, async ({ browser }) => {
    const context = await browser.newContext({ viewport: { width, height: 844 }, hasTouch: true, isMobile: true });
    const page = await context.newPage();
    for (const name of ['shipped', 'step']) {
      await open(page, name);
      const mark = page.locator('.plot .scatterlayer .trace .points path').last();
      await mark.scrollIntoViewIfNeeded();
      const box = (await mark.boundingBox())!;
      await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
      await expect(page.locator('#inspector h2')).not.toBeEmpty();
      expect(page.url()).toContain('pin=');
    }
  });
}

test('rows of the ceilings are as high as their texts, on a phone too', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, 'everything');
  const heights = await page.locator('#ceilings tbody tr').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  expect(Math.max(...heights)).toBeLessThan(100);
});
