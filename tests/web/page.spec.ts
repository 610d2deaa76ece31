// SPDX-License-Identifier: Apache-2.0
import { expect } from '@playwright/test';
import { join } from 'node:path';
import { recorded, recordedTime } from './reports';
import { choice, contentOf, marks, open, placeOf, row, rows, test } from './support';

test('hovering over a mark tells of the point in four lines and lights its row', async ({ page }) => {
  await open(page, 'shipped');
  const { x, y } = await placeOf(page, 'V4');
  await page.mouse.move(0, 0);
  await expect(page.locator('#tooltip')).toBeHidden();
  await page.mouse.move(x, y, { steps: 3 });
  const tooltip = page.locator('#tooltip');
  await expect(tooltip).toBeVisible();
  await expect(tooltip.locator('p')).toHaveCount(4);
  for (const text of ['V4', recordedTime('reduce_v4_add_on_load'), 'GB/s', 'of roofline', 'bound by', 'click']) await expect(tooltip).toContainText(text);
  await expect(row(page, 'V4')).toHaveClass(/active/);
});

test('a click on a mark shows all of its point beside the chart', async ({ page }) => {
  await open(page, 'shipped');
  await expect(page.locator('#inspector')).toBeHidden();
  const { x, y } = await placeOf(page, 'V4');
  await page.mouse.move(x, y, { steps: 3 });
  await expect(page.locator('#tooltip')).toBeVisible();
  await page.mouse.click(x, y);
  const inspector = page.locator('#inspector');
  await expect(inspector).toBeInViewport();
  await expect(inspector.locator('h2')).toContainText('V4');
  await expect(inspector).toContainText('Next:');
  await expect(inspector.locator('.counters dl')).toBeHidden();
  await inspector.getByText('All counters').click();
  for (const text of [...await row(page, 'V4').locator('td').allTextContents(), recordedTime('reduce_v4_add_on_load'), 'samples', '% of roofline', 'DRAM utilisation']) {
    await expect(inspector).toContainText(text);
  }
  await expect(inspector.locator('dt', { hasText: /^bound by$/ })).toHaveCount(1);
  await page.getByRole('button', { name: 'Unpin V4' }).click();
  await expect(inspector).toBeHidden();
});

test('several pinned points are side by side, and what differs by more than 5 % stands out', async ({ page }) => {
  await open(page, 'shipped');
  await row(page, 'V4').click();
  await expect(page.locator('.pins')).toBeHidden();
  await row(page, 'V7').click();
  await expect(page.locator('.pins thead th')).toHaveText([/V4/, /V7/]);
  await expect(page.locator('.pins tr.differs', { has: page.getByRole('rowheader', { name: 'time', exact: true }) })).toBeVisible();
  await expect(page.locator('.pins tr', { has: page.getByRole('rowheader', { name: 'cache', exact: true }) })).not.toHaveClass(/differs/);
  expect(await page.locator('.pins tr.differs').count()).toBeLessThan(0.75 * await page.locator('.pins tbody tr').count());
  await expect(page.getByRole('rowheader', { name: 'bound by', exact: true })).toHaveCount(1);
  await expect(page.locator('.explanations article')).toHaveCount(2);
  await expect(page.locator('.overlay .ring')).not.toHaveCount(0);
  await page.locator('.pins').getByRole('button', { name: 'Unpin V4' }).click();
  await expect(page.locator('#inspector h2')).toContainText('V7');
  await row(page, 'V4').click();
  await page.getByRole('button', { name: 'Unpin all' }).click();
  await expect(page.locator('.pins')).toBeHidden();
});

test('a row under the pointer rings its mark', async ({ page }) => {
  await open(page, 'shipped');
  await row(page, 'V2').hover();
  await expect(page.locator('.overlay .ring.active')).toHaveCount(1);
  await page.mouse.move(2, 2);
  await expect(page.locator('.overlay .ring.active')).toHaveCount(0);
});

test('every memory level has its marks and its roof', async ({ page }) => {
  await open(page, 'shipped');
  const names = page.locator('.plot .name');
  await expect(names.filter({ hasText: 'DRAM read' })).toHaveCount(1);
  for (const [level, roof] of [['l2', 'L2 read'], ['l1', 'L1 read'], ['shared', 'shared read']] as const) {
    await choice(page, 'Memory level', level).click();
    await expect(choice(page, 'Memory level', level)).toHaveAttribute('aria-pressed', 'true');
    await expect(names.filter({ hasText: new RegExp(`^${roof} \\d`) })).toHaveCount(1);
    await expect(names.filter({ hasText: 'DRAM' })).toHaveCount(0);
    expect(await marks(page).count()).toBeGreaterThan(5);
  }
  await choice(page, 'Memory level', 'all').click();
  expect(await marks(page).count()).toBeGreaterThan(3 * 14);
  await expect(page.locator('.legend .levels')).toContainText('filled: busiest level');
});

test('the switch between useful and executed work', async ({ page }) => {
  await open(page, 'shipped');
  const both = await marks(page).count();
  await choice(page, 'Work', 'useful').click();
  await expect(marks(page)).toHaveCount(14);
  await choice(page, 'Work', 'executed').click();
  const executed = await marks(page).count();
  expect(executed).toBeGreaterThan(5);
  expect(both).toBeGreaterThan(14);
});

test('a line joins the marks of each point, unless there are very many', async ({ page }) => {
  const joinsOfFirstFamily = page.locator('.plot .join[stroke="var(--family-0)"]');
  await open(page, 'shipped');
  await expect(joinsOfFirstFamily).not.toHaveCount(0);
  await open(page, 'points-2000', '#sizes=all');
  await expect(joinsOfFirstFamily).toHaveCount(0);
});

test('the switch for the roofs', async ({ page }) => {
  await open(page, 'shipped', '#zoom=all');
  const names = page.locator('.plot .name');
  await expect(names.filter({ hasText: 'FP32 FMA' })).toHaveCount(2);
  await choice(page, 'Roofs', 'measured').click();
  await expect(names.filter({ hasText: 'peak' })).toHaveCount(0);
  await choice(page, 'Roofs', 'theoretical').click();
  await expect(names.filter({ hasText: 'DRAM peak' })).toHaveCount(1);
  await expect(names.filter({ hasText: 'DRAM read' })).toHaveCount(0);
});

test('the names of roofs keep clear of every line', async ({ page }) => {
  await open(page, 'shipped');
  const nearest = await page.locator('.plot').evaluate((plot) => {
    const onScreen = (element: SVGGraphicsElement, x: number, y: number): DOMPoint => new DOMPoint(x, y).matrixTransform(element.getScreenCTM()!);
    const ofLines = [...plot.querySelectorAll<SVGPathElement>('.roof, .join')].flatMap((line) =>
      Array.from({ length: Math.floor(line.getTotalLength()) }, (_, at) => line.getPointAtLength(at)).map(({ x, y }) => onScreen(line, x, y)));
    const isRoof = (name: SVGTextElement): boolean => /\/s$/.test(name.textContent ?? '');
    const ofNames = [...plot.querySelectorAll<SVGTextElement>('.name')].filter(isRoof).flatMap((name) => {
      const { x, y, width, height } = name.getBBox();
      return [0, 0.25, 0.5, 0.75, 1].map((share) => onScreen(name, x + share * width, y + height / 2));
    });
    return Math.min(...ofNames.map((a) => ofLines.reduce((least, b) => Math.min(least, Math.hypot(a.x - b.x, a.y - b.y)), Infinity)));
  });
  expect(nearest).toBeGreaterThan(6);
});

test('the switches for caches and precisions apply to chart and table', async ({ page }) => {
  await open(page, 'everything');
  await expect(rows(page)).toHaveCount(28);
  await choice(page, 'Caches', 'warm').click();
  await expect(rows(page)).toHaveCount(14);
  for (const text of await rows(page).locator('td:nth-child(5)').allTextContents()) expect(text).toBe('warm');
  await choice(page, 'Caches', 'both').click();
  await choice(page, 'Precision', 'f32').click();
  await expect(rows(page)).toHaveCount(0);
  await choice(page, 'Precision', 'f64').click();
  await expect(page.locator('.plot .name', { hasText: 'FP64 FMA' })).not.toHaveCount(0);
  await expect(page.locator('.plot .name', { hasText: 'FP32' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Show all points' }).click();
  await expect(rows(page)).toHaveCount(28);
});

test('the legend hides and shows a family in chart and table', async ({ page }) => {
  await open(page, 'shipped');
  const family = page.locator('.legend button', { hasText: 'sum' });
  const before = await marks(page).count();
  await family.click();
  await expect(family).toHaveAttribute('aria-pressed', 'false');
  await expect(rows(page)).toHaveCount(10);
  expect(await marks(page).count()).toBeLessThan(before);
  await family.click();
  await expect(rows(page)).toHaveCount(14);
  await page.locator('.legend button', { hasText: 'ladder' }).dblclick();
  await expect(rows(page)).toHaveCount(10);
});

test('the table sorts by number, up, down and back', async ({ page }) => {
  await open(page, 'shipped');
  const header = page.locator('th[data-column="time"]');
  const first = rows(page).first().locator('button.name');
  await header.getByRole('button').click();
  await expect(header).toHaveAttribute('aria-sort', 'ascending');
  await expect(first).toHaveText(/^V[78]$/);
  await header.getByRole('button').click();
  await expect(header).toHaveAttribute('aria-sort', 'descending');
  await expect(first).toHaveText('atomic');
  await header.getByRole('button').click();
  await expect(first).toHaveText('V0');
});

test('what has no number is last in both directions', async ({ page }) => {
  await open(page, 'everything');
  for (let i = 0; i < 2; ++i) {
    await page.locator('th[data-column="time"] button').click();
    await expect(rows(page).last()).toContainText('failed');
  }
});

test('the text filter and the bound filter apply to table and chart', async ({ page }) => {
  await open(page, 'shipped');
  await page.locator('#filter').fill('V6');
  await expect(rows(page)).toHaveCount(2);
  await expect(page.locator('.points [role=status]')).toHaveText('2 of 14 points');
  expect(await marks(page).count()).toBeLessThanOrEqual(4);
  await page.locator('#filter').fill('');
  await page.locator('.bounds button', { hasText: 'dram' }).click();
  await expect(rows(page)).toHaveCount(2);
});

test('the points are what opens; the whole roofline is a click away, and so is the way back', async ({ page }) => {
  await open(page, 'shipped');
  const ticks = page.locator('.plot .y-tick');
  const opened = await ticks.allTextContents();
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await expect(page).toHaveURL(/zoom=all/);
  const all = await ticks.allTextContents();
  expect(all).not.toEqual(opened);
  await page.getByRole('button', { name: 'Zoom to points' }).click();
  await expect(page).not.toHaveURL(/zoom=/);
  expect(await ticks.allTextContents()).toEqual(opened);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  expect(await ticks.allTextContents()).not.toEqual(opened);
});

test('where no point matches, the table says so and removes the filters', async ({ page }) => {
  await open(page, 'shipped');
  await page.locator('#filter').fill('nothing has this name');
  await expect(page.locator('.nothing')).toContainText('No point matches.');
  await page.getByRole('button', { name: 'Remove all filters' }).click();
  await expect(rows(page)).toHaveCount(14);
  await expect(page.locator('.nothing')).toBeHidden();
});

test('dragging moves the chart', async ({ page }) => {
  await open(page, 'shipped');
  const box = (await page.locator('.frame').boundingBox())!;
  await page.mouse.move(box.x + 500, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 400, box.y + 250, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/zoom=/);
});

test('downloads are valid files', async ({ page }) => {
  await open(page, 'shipped', '#level=l2');
  const get = async (name: string): Promise<[string, Buffer]> => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('group', { name: 'Download' }).getByRole('button', { name, exact: true }).click()]);
    return [download.suggestedFilename(), await contentOf(download)];
  };
  const [pngName, png] = await get('PNG');
  expect(pngName).toBe('roofline-ladder.png');
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1600, 900]);
  const [, svg] = await get('SVG');
  const problems = await page.evaluate((text) => new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror')?.textContent, svg.toString());
  expect(problems).toBeUndefined();
  expect(svg.toString()).toContain('L2 read');
  // That of the first family, whatever the theme of the page.
  expect(svg.toString()).toContain('fill="#0072b2"');
  expect(svg.toString()).toContain('Sum of 2²⁸ floats');
  const [csvName, csv] = await get('CSV');
  expect(csvName).toBe('points.csv');
  expect(csv.toString().split('\r\n')[0]).toMatch(/^variant,family,dtype,n,cache,status,time_s/);
  expect(csv.toString().trim().split('\r\n')).toHaveLength(37);
  const [jsonName, json] = await get('JSON');
  expect(jsonName).toBe('run.json');
  const run = JSON.parse(json.toString());
  const recording = recorded('reductions-h200');
  expect(run.plan.text).toBe(recording.plan.text);
  expect(run.measurements).toHaveLength(recording.measurements.length);
  run.measurements.forEach((measurement: any, i: number) => {
    expect(measurement.time.median_s / recording.measurements[i].time.median_s).toBeCloseTo(1, 6);
    expect(measurement.counters.fadd).toBe(recording.measurements[i].counters.fadd);
  });
});

test('a link restores the view', async ({ page, context }) => {
  await open(page, 'everything');
  await choice(page, 'Memory level', 'l1').click();
  await choice(page, 'Caches', 'cold').click();
  await page.locator('.legend button', { hasText: 'sum' }).click();
  await page.locator('th[data-column="time"] button').click();
  await rows(page).first().click();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect(page).toHaveURL(/zoom=/);
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(choice(other, 'Memory level', 'l1')).toHaveAttribute('aria-pressed', 'true');
  await expect(choice(other, 'Caches', 'cold')).toHaveAttribute('aria-pressed', 'true');
  await expect(rows(other)).toHaveCount(10);
  await expect(other.locator('th[data-column="time"]')).toHaveAttribute('aria-sort', 'ascending');
  await expect(other.locator('#inspector h2')).not.toBeEmpty();
  expect(await other.locator('.plot .y-tick').allTextContents()).toEqual(await page.locator('.plot .y-tick').allTextContents());
});

test('a malformed link still shows the page', async ({ page }) => {
  await open(page, 'shipped', '#experiment=none&level=l9&zoom=a,b&sort=-nothing&pin=gone&caches=hot');
  await expect(rows(page)).toHaveCount(14);
});

test('experiments, ladder steps, ceilings, agreement and environment', async ({ page }) => {
  await open(page, 'everything');
  await expect(page.locator('.steps > li').first()).toContainText('V0 cold → V1 cold');
  await expect(page.locator('#ceilings')).toContainText('DRAM read');
  await expect(page.locator('#agreement')).toContainText('1 agrees, 1 differs, 1 unavailable');
  await expect(page.locator('#agreement .verdict.differs').first()).toBeVisible();
  await expect(page.locator('#agreement')).toContainText('install Nsight Systems');
  await expect(page.locator('#environment')).toContainText('580.159.04');
  await expect(page.locator('.suspicion')).toContainText('Counters differ from known work');
  await expect(page.locator('#sizes')).toBeHidden();
  await page.locator('.tabs button').nth(1).click();
  await expect(page.locator('.heading h2')).toHaveText('Sum of 2²⁵ floats, from V0 to V8');
  await expect(page.locator('.tabs button').nth(1)).toHaveAttribute('aria-current', 'true');
});

test('names from files are text, in the page, the chart and the tooltip', async ({ page }) => {
  await open(page, 'hostile', '#zoom=all');
  await expect(page.locator('h1')).toContainText('<script>');
  await expect(page.locator('.legend button').first()).toContainText('<b>bold</b>');
  await expect(page.locator('.plot .name', { hasText: '<b>name</b>' })).not.toHaveCount(0);
  await rows(page).first().hover();
  await rows(page).first().click();
  await expect(page.locator('#inspector h2')).toContainText('<img src=x');
  await page.locator('.frame').evaluate((frame) => frame.scrollIntoView());
  await expect(page.locator('.overlay .ring').first()).toBeVisible();
  await page.locator('.overlay .ring').first().hover({ force: true });
  await expect(page.locator('#tooltip')).toContainText('<script>');
  expect(await page.evaluate(() => (window as any).hacked)).toBeUndefined();
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.locator('.plot b, .plot script').count()).toBe(0);
});

test('every number of an agreement table is there, folded away', async ({ page }) => {
  await open(page, 'everything');
  const table = page.locator('.agreement').first();
  await expect(table.getByText('1200', { exact: true }).first()).toBeVisible();
  const every = table.locator('details', { hasText: 'All numbers (3)' });
  await expect(every.locator('tbody tr').first()).toBeHidden();
  await every.locator('summary').click();
  await expect(every.locator('tbody tr')).toHaveCount(3);
  await expect(every.locator('tbody tr').first()).toBeVisible();
});

test('what is folded away is drawn when it is opened: a page of 2,000 points has few elements', async ({ page }) => {
  await open(page, 'points-2000');
  expect(await page.locator('*').count()).toBeLessThan(18_000);
  const steps = page.locator('.steps > li');
  await expect(steps).toHaveCount(100);
  const more = page.locator('#ladder summary');
  const count = 100 + Number.parseInt((await more.textContent()) ?? '', 10);
  expect(count).toBeGreaterThan(1000);
  await more.click();
  await expect(steps).toHaveCount(count);
  await expect(steps.last()).toContainText('→');
  const numbers = page.locator('#agreement details', { hasText: 'All numbers' }).first();
  await expect(numbers.locator('table')).toHaveCount(0);
  await numbers.locator('summary').focus();
  await page.keyboard.press('Enter');
  await expect(numbers.locator('tbody tr').first()).toBeVisible();
});

test('an experiment over sizes shows bandwidth against size', async ({ page }) => {
  await open(page, 'sizes');
  await expect(page.locator('#sizes figure')).toContainText('DRAM read');
  await page.getByRole('button', { name: 'Sizes', exact: true }).click();
  await expect(page.locator('#sizes figure')).toBeInViewport();
  await page.locator('.tabs button').nth(1).click();
  await expect(page.locator('#sizes')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Sizes', exact: true })).toBeHidden();
});

test('an experiment over many sizes opens with the lines over them, and with the best size of each version on the roofline', async ({ page }) => {
  await open(page, 'swept');
  const [lines, roofline] = [(await page.locator('#sizes figure').boundingBox())!, (await page.locator('.plot').boundingBox())!];
  expect(lines.y).toBeLessThan(300);
  expect(roofline.y).toBeGreaterThan(lines.y + lines.height);
  // Two versions in six types.
  await expect(marks(page)).toHaveCount(12);
  await choice(page, 'Sizes', 'all').click();
  await expect(page).toHaveURL(/sizes=all/);
  expect(await marks(page).count()).toBeGreaterThan(200);
  await page.locator('#sizes figure').first().focus();
  await choice(page, 'Roofs', 'measured').evaluate((button: HTMLElement) => button.click());
  await expect(page.locator('#sizes figure').first(), 'the lines stay where they are').toBeFocused();
  await choice(page, 'Sizes', 'best').click();
  await rows(page).first().locator('button.name').click();
  await expect(marks(page), 'the chosen point is there too').toHaveCount(13);
});

test('speed over a reference is a map in which equal, faster and slower have colours of their own', async ({ page }) => {
  await open(page, 'swept');
  await page.locator('#sizes details summary').first().click();
  const cells = page.locator('#sizes details[open] .heat-map td');
  await expect(cells.first()).toBeVisible();
  const found = await cells.evaluateAll((all) => all.map((cell) => ({ factor: Number.parseFloat(cell.textContent ?? ''), colour: (cell as HTMLElement).style.background })));
  const coloured = found.filter(({ factor }) => Number.isFinite(factor));
  expect(coloured.length).toBeGreaterThan(3);
  for (const { factor, colour } of coloured) {
    if (Math.abs(factor - 1) < 0.0101) expect(colour).toBe('var(--highlight)');
    if (factor > 1.0199) expect(colour).toContain('--good');
    if (factor < 0.98) expect(colour).toContain('--bad');
  }
});

test('on a phone the highest roof has its name too', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, 'shipped', '#zoom=all');
  await expect(page.locator('.plot .name').filter({ hasText: 'FP32 FMA' })).not.toHaveCount(0);
});

test('an experiment whose plan asks for energy shows it', async ({ page }) => {
  await open(page, 'energy');
  await expect(page.locator('#energy')).toBeHidden();
  await page.locator('.tabs button').last().click();
  await expect(page.locator('#energy figure')).toContainText('Useful work per joule');
  await expect(page.locator('.points thead')).toContainText('work/J');
  await page.getByRole('button', { name: 'Energy', exact: true }).click();
  await expect(page.locator('#energy figure')).toBeInViewport();
});

test('a run of primitives opens with their picture and table; the ceilings are below', async ({ page }) => {
  await open(page, 'primitives');
  await expect(page.locator('main > :visible').first()).toHaveId('primitives');
  await expect(page.locator('#primitives figure > svg')).toBeInViewport();
  await expect(page.locator('#primitives figure')).toContainText('SM cycles per element');
  await expect(page.locator('#primitives tbody tr').first()).toContainText('sum in every lane');
  await expect(page.locator('#primitives ~ .stage .heading h2')).toHaveText('Ceilings of NVIDIA H200');
  await expect(page.locator('.plot .name')).toHaveText('DRAM peak 4.81 TB/s');
  await expect(page.locator('.stage + #ceilings')).toContainText('DRAM copy');
});

test('where the chosen point is out of sight, a button leads to it', async ({ browser }) => {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 500 } })).newPage();
  await open(page, 'everything');
  await rows(page).last().locator('button.name').click();
  await page.locator('#environment').scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: 'Show the chosen point' }).click();
  await expect(page.locator('#inspector')).toBeInViewport();
  await expect(page.getByRole('button', { name: 'Show the chosen point' })).toBeHidden();
});

for (const width of [390, 1000]) {
  test(`long names do not make the page wider than a window of ${width} pixels`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    await open(page, 'long');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });
}

test('the headlines of a replay call it one and name the missing points', async ({ page }) => {
  await open(page, 'long');
  await expect(page.locator('h1')).toContainText('Replayed, incomplete: ');
  await expect(page.locator('h1')).toContainText('a recording of NVIDIA H200');
  await expect(page.locator('.heading h2')).toContainText('Replayed, incomplete: ');
  await expect(page.locator('.provenance')).toContainText('incomplete, 1 of 14 points missing: V0');
});
