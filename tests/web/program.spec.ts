// SPDX-License-Identifier: Apache-2.0
// The page of a profiled program: executed work alone, by its share of the time.
import { expect } from '@playwright/test';
import { choice, contentOf, marks, open, placeOf, row, rows, test } from './support';

test('shows where the time is, what could be saved, and nothing that nobody declared', async ({ page }) => {
  await open(page, 'program');
  await expect(page.locator('.headline')).toContainText('multi_tensor_apply<FusedAdam, f32> could save up to 391.6 µs (10.0 %).');
  const figures = page.locator('.figures > div');
  await expect(figures.filter({ hasText: 'GPU busy' })).toHaveText(/3\.386\sms86\.8\s% of a step$/);
  await expect(figures.filter({ hasText: 'GPU idle' })).toHaveText(/514\.4\sµs13\.2\s% of a step$/);
  await expect(figures.filter({ hasText: 'Tensor Core kernels' })).toContainText(/28\.9\s% of a step, at/);
  await expect(figures.last()).toContainText('whole run20 steps');
  await expect(page.locator('.time-bar span')).toHaveCount(await page.locator('.bound-chips li').count());
  const [bar, end] = await page.locator('.time-bar').evaluate((all) => [all.getBoundingClientRect().right, all.lastElementChild!.getBoundingClientRect().right]);
  expect(end).toBeCloseTo(bar as number, 0);
  await expect(page.locator('#program li').first()).toContainText('GPU busy 3.386 ms (86.8 %), idle 514.4 µs (13.2 %)');
  await expect(page.locator('#program h3')).toHaveText(['Idle time by length of the gap', 'Idle time before each kernel', 'Memory copies and memsets, whole run', 'Without a roof']);
  const heads = await page.locator('table.points thead th').allTextContents();
  expect(heads).toEqual(['kernel', 'of a step', 'could save/step', 'mean', '% of roofline', 'bound by', 'tensor', 'type', 'p95', 'occupancy', 'registers'].filter((title) => heads.includes(title)));
  expect(heads).toEqual(expect.arrayContaining(['kernel', 'of a step', 'could save/step', 'tensor']));
  await page.getByRole('button', { name: 'More columns' }).click();
  const all = await page.locator('table.points thead th').allTextContents();
  expect(all).toEqual(expect.arrayContaining(['roof', 'grid × block', 'NVTX ranges', 'DRAM', 'could save', 'total', 'launches']));
  for (const declared of ['AI useful', 'n', 'dtype', 'cache', 'GB/s', 'family']) expect(all).not.toContain(declared);
  await expect(page.locator('fieldset.switch', { hasText: 'Work' })).toHaveCount(0);
  await expect(page.locator('#ladder')).toBeHidden();
});

test('everything on the first screen is of a step, and the whole run is named once', async ({ page }) => {
  await open(page, 'step');
  // The bar, the tree and the figures have the same time and the same shares.
  await expect(page.locator('.limits')).toContainText(/Where each 23\.64\sms step goes/);
  await expect(page.locator('.bound-chips li').last()).toHaveText(/^GPU idle 34\.7\s%$/);
  await expect(page.locator('button.range').first()).toHaveText(/^all kernels65\.3\s%15\.45\sms/);
  const idle = await page.locator('.time-bar .idle').evaluate((part) => part.getBoundingClientRect().width / part.parentElement!.getBoundingClientRect().width);
  expect(idle).toBeCloseTo(0.347, 1);
  const texts = await page.locator('.overview .headline, .figures, .limits, nav.ranges, .beginnings').allTextContents();
  const first = texts.join(' ').replaceAll('\u00a0', ' ');
  expect(first).not.toMatch(/of GPU time|1\.533 s|launch-bound|launch overhead/);
  expect(first.match(/100 steps/g)).toHaveLength(1);
  expect(first.match(/63400/g)).toHaveLength(1);
});

test('shares of what limits the time add up to the whole, and one of them filters everything', async ({ page }) => {
  await open(page, 'program');
  const shares = await page.locator('.bound-chips strong').allTextContents();
  expect(shares.reduce((sum, text) => sum + Number.parseFloat(text.replace('<', '')), 0)).toBeCloseTo(100, 0);
  const before = await marks(page).count();
  await page.locator('.bound-chips button[data-value="dram"]').click();
  await expect(page).toHaveURL(/bound=dram/);
  for (const text of await page.locator('table.points td .bound').allTextContents()) expect(text).toBe('DRAM');
  expect(await marks(page).count()).toBeLessThan(before);
  await expect(page.locator('.bound-chips button[data-value="dram"]')).toBeFocused();
});

test('a kernel that could save most has its own advice where the reader begins', async ({ page }) => {
  await open(page, 'fft');
  const kernels = page.locator('.beginnings li');
  await expect(kernels.nth(0)).toContainText(/saxpy69\.61\sµscould save 14\.6\s% of a step; at 72\.0\s% of roofline, bound by DRAMNext: Increase the bytes in flight/);
  // A library's kernel cannot be changed: the same rule has other advice.
  await expect(kernels.nth(1)).toContainText(/regular_fft_factor.*Next: Move fewer bytes/);
  await kernels.nth(0).locator('button').click();
  await expect(page.locator('#inspector .summary')).toHaveText(/^52\.1\s% of a step · 248\.\d\sµs · 10000 launches in the whole run$/);
  await expect(page.locator('#inspector .action')).toContainText(/It could take 178\.\d\sµs of each step instead of 248\.\d\sµs: 69\.61\sµs less \(14\.6\s%\)\./);
});

test('kernels of a report that lacks some counts are under its peaks, with what they could save at most', async ({ page }) => {
  await open(page, 'imported');
  await expect(page.locator('.headline')).toContainText('v0_global could save at most');
  await expect(page.locator('.plot .name').filter({ hasText: /^DRAM peak/ })).toHaveCount(1);
  await expect(page.locator('fieldset.switch', { hasText: 'Roofs' })).toHaveCount(0);
  await expect(page.locator('.beginnings li').first()).toHaveText(/^v0_global≤\s1\.0\d+\smscould save \d+\.\d\s% of the time; at ≥\s\d+\.\d\s% of roofline/);
  await rows(page).first().locator('button.name').click();
  await expect(page.locator('#inspector .action')).toContainText('Some of its work was not counted');
});

test('of an imported report all kernels are in view, and what it lacks is said once', async ({ page }) => {
  await open(page, 'imported');
  await expect(page.locator('.chart')).not.toContainText('outside');
  await expect(page.locator('.plot .name').filter({ hasText: /^FP32/ })).not.toHaveCount(0);
  const notice = page.locator('.notice');
  await expect(notice).toContainText('The report lacks FP64 operations, FP32 operations, Tensor Core operations, so kernels are at least as close');
  await expect(notice.locator('code')).toHaveText(/^ncu --set full --metrics \S+$/);
  await expect(page.locator('#program')).not.toContainText('The report lacks');
  const heads = await page.locator('#ceilings thead th').allTextContents();
  expect(heads).not.toContain('measured');
  await expect(page.locator('#ceilings')).toContainText('nothing was measured');
  await row(page, 'v1_shared').click();
  await expect(page.locator('#inspector')).toContainText('What limits it is unknown. L2 bytes, L1 bytes, shared-memory bytes');
  await expect(page.locator('#inspector')).not.toContainText('not timed');
});

test('a run without measurements has a sentence and its ceilings', async ({ page }) => {
  await open(page, 'unmeasured', '', '#ceilings table');
  await expect(page.locator('.notice')).toHaveText(/^Nothing was measured: all \d+ points of the plan are missing\.$/);
  await expect(page.locator('table.points')).toHaveCount(0);
  await expect(page.locator('body')).not.toContainText('Click a point');
});

test('lists first what could save most, names it, and tells all of a kernel when it is chosen', async ({ page }) => {
  await open(page, 'program');
  await expect(page.locator('.beginnings li').nth(0)).toContainText(/GPU idle514\.4\sµs13\.2\s% of a step/);
  await expect(page.locator('.beginnings li').nth(0)).toContainText('the CPU launches more slowly than the GPU runs');
  await expect(page.locator('.beginnings li').nth(0)).toContainText('Use CUDA graphs');
  await expect(page.locator('.beginnings li').nth(1)).toContainText('multi_tensor_apply<FusedAdam, f32>');
  await expect(page.locator('.beginnings li').nth(1)).toContainText(/391\.6\sµscould save 10\.0\s% of a step/);
  await expect(rows(page).first().locator('button.name')).toContainText('multi_tensor_apply<FusedAdam, f32>');
  await row(page, 'elementwise<add, bf16>').click();
  const inspector = page.locator('#inspector');
  await expect(inspector.locator('.verdict')).toContainText('of roofline, bound by:');
  await expect(inspector.locator('.meters li')).not.toHaveCount(0);
  expect(await inspector.locator('.meters li').count()).toBeLessThanOrEqual(3);
  await expect(inspector.locator('.action')).toContainText(/It could take .* of each step instead of .* less \(\d+\.\d\s%\)\.$/);
  await expect(inspector.locator('.action')).toContainText('fuse it with the work before or after it');
  await expect(inspector.locator('.counters dl')).toBeHidden();
  await inspector.getByText('All counters').click();
  await expect(inspector).toContainText('at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>');
  await expect(inspector).toContainText('644, of which 640 were traced and 3 counted');
  await expect(inspector).not.toContainText('useful');
  await row(page, 'elementwise<add, bf16>').click();
  await expect(page.locator('.beginnings')).toBeVisible();
  await page.locator('#filter').fill('no such kernel');
  await expect(page.locator('.beginnings')).toContainText('No kernel matches the filters.');
});

test('what warps wait for is a bar and a sentence, which leaves out what hardly matters', async ({ page }) => {
  await open(page, 'program-stalls');
  const kernel = await page.evaluate(() => document.querySelector('table.points tbody tr[data-point="0"] button.name .text')?.textContent ?? '');
  await rows(page).filter({ hasText: kernel }).first().click();
  const stalls = page.locator('#inspector .stalls');
  await expect(stalls).toHaveText(/Warps wait for: global memory 61\.0\s%, the result of the instruction before 20\.0\s%, their turn 10\.5\s%$/);
  const parts = stalls.locator('.stalls-bar span');
  await expect(parts).toHaveCount(3);
  const whole = (await stalls.locator('.stalls-bar').boundingBox())!;
  const boxes = await parts.evaluateAll((all) => all.map((part) => part.getBoundingClientRect()).map(({ left, width }) => ({ left, width })));
  expect(boxes.map(({ width }) => width / whole.width)).toEqual([expect.closeTo(0.61, 2), expect.closeTo(0.2, 2), expect.closeTo(0.105, 2)]);
  expect(boxes[1]!.left).toBeCloseTo(boxes[0]!.left + boxes[0]!.width, 0);
  // The bar belongs to the sentence above it, and covers none of its letters.
  const text = (await stalls.locator('p').boundingBox())!;
  expect(whole.y).toBeGreaterThanOrEqual(text.y + text.height);
  await rows(page).filter({ hasText: 'FusedAdam' }).first().click();
  await expect(page.locator('#inspector .verdict')).toBeVisible();
  await expect(stalls).toHaveCount(0);
});

test('shows the launches of a kernel over the run, on a linear or a logarithmic axis, and those that were counted', async ({ page }) => {
  await open(page, 'program');
  await row(page, 'multi_tensor_apply<FusedAdam, f32>').click();
  const launches = page.locator('.launches');
  await expect(launches.locator('.over-time circle')).toHaveCount(20);
  await expect(launches.locator('.over-time circle.counted')).toHaveCount(3);
  await expect(launches.locator('.over-time rect.untraced')).toHaveCount(1);
  await expect(launches.locator('.said')).toHaveText(/^20 traced launches, 1\.100.ms to 1\.650.ms\.$/);
  await launches.locator('.over-time').focus();
  await page.keyboard.press('ArrowRight');
  await expect(launches.locator('.said')).toHaveText(/^at 0.ns: 1\.650.ms, counted$/);
  await launches.getByRole('button', { name: 'log' }).click();
  await expect(page).toHaveURL(/times=log/);
  await expect(launches.getByRole('button', { name: 'log' })).toHaveAttribute('aria-pressed', 'true');
  await expect(launches.locator('.spread summary')).toHaveText(/Counters of 3 launches differ by at most 0\.4.%/);
  await row(page, 'elementwise<add, bf16>').click();
  await expect(launches.locator('.over-time .extremes')).toHaveCount(128);
  await expect(launches.locator('.over-time .medians')).toHaveCount(1);
  expect(await launches.locator('.over-time .medians').getAttribute('d'), 'no line where the trace was off').toMatch(/L.*M.*L/);
  await expect(launches.locator('.said')).toContainText('640 traced launches');
});

test('says that an older recording has no launches over time', async ({ page }) => {
  await open(page, 'program-old');
  await rows(page).first().locator('button.name').click();
  await expect(page.locator('.quantiles figcaption')).toContainText('unavailable: an older rooflinectl, which did not keep these times, recorded this run');
});

test('the tooltip of a kernel has four lines', async ({ page }) => {
  await open(page, 'program');
  const { x, y } = await placeOf(page, 'multi_tensor_apply<FusedAdam, f32>');
  await page.mouse.move(0, 0);
  await page.mouse.move(x, y, { steps: 3 });
  await expect(page.locator('#tooltip p')).toHaveCount(4);
  await expect(page.locator('#tooltip')).toContainText('could save 391.6 µs of a step');
});

test('a range filters chart, table and bar; the address keeps it; so does no range', async ({ page, context }) => {
  await open(page, 'program-ranges');
  const counted = page.locator('#points [role=status]');
  const ranges = page.locator('button.range');
  await expect(ranges.first()).toContainText('all kernels');
  const marksOfAll = await marks(page).count();
  await page.locator('button.range[data-value="layer1"]').click();
  await expect(page).toHaveURL(/range=layer1/);
  await expect(counted).toHaveText(/^\d+ of 33 launch groups, \d+ kernels$/);
  const inside = await counted.textContent();
  await expect(page.locator('.limits')).toContainText('Selected: ');
  expect(await marks(page).count()).not.toBe(marksOfAll);
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.locator('#points [role=status]')).toHaveText(inside ?? '');
  await expect(other.locator('button.range[data-value="layer1"]')).toHaveAttribute('aria-pressed', 'true');
  await page.locator('button.range[data-value=""]').click();
  await expect(counted).toHaveText(/^5 of 33 launch groups/);
  await page.getByRole('button', { name: 'Show all launch groups' }).click();
  await expect(counted).toHaveText(/^33 launch groups/);
});

test('ranges open and close, and are an icicle too', async ({ page }) => {
  await open(page, 'program');
  await page.getByRole('button', { name: 'Close step', exact: true }).click();
  await expect(page.locator('button.range[data-value="step/forward"]')).toHaveCount(0);
  await page.getByRole('button', { name: 'Open step', exact: true }).click();
  await expect(page.locator('button.range[data-value="step/forward"]')).toBeVisible();
  await page.getByRole('button', { name: 'Icicle' }).click();
  await page.locator('.icicle button', { hasText: 'forward' }).click();
  await expect(page).toHaveURL(/range=step%2Fforward/);
});

test('ranges are marks of their own at a switch', async ({ page }) => {
  await open(page, 'program');
  const before = await marks(page).count();
  await choice(page, 'NVTX ranges', 'on').click();
  expect(await marks(page).count()).toBeGreaterThan(before);
  await expect(page).toHaveURL(/ranges=/);
});

test('only roofs of what is executed are drawn, and those of the chosen kernel are lit', async ({ page }) => {
  await open(page, 'program');
  const roofs = page.locator('.plot .name').filter({ hasText: /\/s$/ });
  await expect(roofs.filter({ hasText: 'BF16 Tensor Core' })).toHaveCount(1);
  await expect(roofs.filter({ hasText: /FP64|INT|peak/ })).toHaveCount(0);
  const accent = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim());
  const lit = page.locator('.plot .roof');
  const colours = (): Promise<string[]> => lit.evaluateAll((lines) => lines.map((line) => getComputedStyle(line).stroke));
  const channels = `rgb(${[1, 3, 5].map((at) => Number.parseInt(accent.slice(at, at + 2), 16)).join(', ')})`;
  expect(await colours()).not.toContain(channels);
  const before = await marks(page).count();
  await rows(page).first().click();
  expect(await colours()).toContain(channels);
  expect(await marks(page).count()).toBeGreaterThan(before);
});

test('what a compiler tried before the steps is in none of them', async ({ page }) => {
  await open(page, 'xla');
  const ranges = page.locator('button.range');
  await expect(ranges.nth(1)).toHaveText(/^XlaModule jit_step79\.8\s%14\.73\sms/);
  await expect(ranges.filter({ hasText: /^XlaModule gemm_fusion_dot\.#–/ })).toHaveText(/in no step: 521\.9\sms/);
  await expect(page.locator('.bound-chips button[data-value="unknown"]')).toHaveText(/^unknown 0\.1\s%/);
  await expect(page.locator('.figures > div').first()).toContainText('from the start of one XlaModule jit_step to the next');
  await expect(page.locator('#program li', { hasText: 'Outside the steps, 627 launch groups took 684.4 ms (4.4 % of GPU time)' })).toHaveCount(1);
  // No two parts of the bar look alike.
  const fills = await page.locator('.time-bar span:not(.idle)').evaluateAll((parts) => parts.map((part) => (part as HTMLElement).style.background));
  expect(new Set(fills).size).toBe(fills.length);
});

test('sums by name, range and type', async ({ page }) => {
  await open(page, 'program');
  for (const [table, first] of [['names', 'multi_tensor_apply<FusedAdam, f32>'], ['ranges', ''], ['types', '']] as const) {
    await page.locator(`.table-tabs button[data-value="${table}"]`).click();
    await expect(page).toHaveURL(new RegExp(`table=${table}`));
    const saved = await page.locator('.sum-table tbody td:last-child').allTextContents();
    expect(saved.length).toBeGreaterThan(1);
    if (first) await expect(page.locator('.sum-table tbody th').first()).toContainText(first);
    const shares = await page.locator('.sum-table tbody td:nth-child(2)').allTextContents();
    // Of a step, which is busy for 86.8 % of its time.
    expect(shares.reduce((sum, text) => sum + Number.parseFloat(text.replace('<', '')), 0)).toBeCloseTo(86.8, 0);
  }
  await page.locator('.sum-table tbody button').first().click();
  await expect(page.locator('table.points')).toBeVisible();
  await expect(page.locator('.chip')).toHaveText(/^precision: .* ×$/);
});

test('a row of the sums by name shows the groups of that kernel alone, and a chip says so in words', async ({ page, context }) => {
  await open(page, 'step');
  await page.locator('.table-tabs button[data-value="names"]').click();
  const first = page.locator('.sum-table tbody tr').first();
  const name = await first.locator('th').textContent();
  expect(name).toBe('elementwise<direct copy, f32> [unrolled]');
  await first.locator('button').click();
  await expect(page.locator('.chip')).toHaveText(`kernel: ${name} ×`);
  await expect(page.locator('#filter')).toHaveValue('');
  await expect(page.locator('#points [role=status]')).toHaveText('9 of 97 launch groups, 1 kernel');
  await expect(page).toHaveURL(/kernel=/);
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.locator('#points [role=status]')).toHaveText('9 of 97 launch groups, 1 kernel');
  await page.locator('.chip').click();
  await expect(page.locator('#points [role=status]')).toHaveText('97 launch groups, 54 kernels');
});

test('begins with the kernel that could save more in several launch groups than any alone', async ({ page }) => {
  await open(page, 'step');
  const first = page.locator('.beginnings > ol > li').nth(2);
  await expect(first).toContainText('elementwise<direct copy, f32> [unrolled] (8 launch groups)');
  await expect(first).toContainText(/456\.9\sµscould save 1\.9\s% of a step/);
  const headline = page.locator('.headline');
  await expect(headline).toContainText('Fusing 7 DRAM-bound kernels over the same data in optimizer could save up to');
  const all = page.locator('.beginnings > ol > li');
  await expect(all.nth(0)).toContainText(/GPU idle8\.192\sms34\.7\s% of a step/);
  await expect(all.nth(1)).toContainText(/fusing 7 DRAM-bound kernels over the same data in optimizer2\.798\sms11\.8\s% of a step/);
  await all.nth(0).locator('summary').click();
  await expect(all.nth(0).locator('h3')).toHaveText(['Idle time before each kernel', 'Idle time by length of the gap']);
  await first.locator('summary').click();
  await expect(first).toContainText('Next: Call it on aligned, contiguous inputs');
  await first.getByRole('button', { name: 'Show only these' }).click();
  await expect(rows(page)).toHaveCount(9);
  await expect(page.locator('.beginnings li').first()).toContainText('grid 8192');
});

test('names in the table stay in sight where it is scrolled, and tell kernels apart', async ({ page }) => {
  for (const [width, column] of [[1400, 'registers'], [390, 'bound by']] as const) {
    await page.setViewportSize({ width, height: 900 });
    await open(page, 'step');
    if (width > 1000) await page.getByRole('button', { name: 'More columns' }).click();
    const name = rows(page).first().locator('th');
    const before = (await name.boundingBox())!;
    await page.locator(`table.points th[data-column="${column}"]`).scrollIntoViewIfNeeded();
    await page.locator('#points .scroll').evaluate((box) => { box.scrollLeft = 10_000; });
    expect((await name.boundingBox())!.x).toBeCloseTo(before.x, 0);
  }
  const names = await page.locator('table.points th .text').allTextContents();
  expect(names.filter((text, i) => names.indexOf(text) !== i)).toEqual([]);
});

test('Escape closes the inspector', async ({ page }) => {
  await open(page, 'step');
  await rows(page).first().locator('button.name').click();
  await expect(page.locator('#inspector .verdict')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.locator('.beginnings')).toBeVisible();
  await expect(page).not.toHaveURL(/pin=/);
});

test('no source of a library is advised to be changed', async ({ page }) => {
  await open(page, 'step');
  for (const name of [/^cudnn/, /^nvjet/, /^reduce<sum/]) {
    await rows(page).filter({ has: page.locator('button.name', { hasText: name }) }).first().locator('button.name').click();
    await expect(page.locator('#inspector .action')).toContainText('Next: ');
    // What warps wait for may be barriers; what to do about it is not in a library's source.
    await expect(page.locator('#inspector .action')).not.toContainText(/launch_bounds|unroll|fewer registers|barriers/);
  }
});

test('the full name of a kernel is shown on hover and copied at a click', async ({ browser }) => {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  await open(page, 'program');
  const name = await rows(page).first().locator('button.name').getAttribute('title');
  expect(name).toContain('multi_tensor_apply_kernel');
  await rows(page).first().hover();
  await rows(page).first().locator('button.copy').click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(name);
  await expect(page.locator('.beginnings')).toBeVisible();
});

test('kernels without floating-point operations are in a strip of their own', async ({ page }) => {
  await open(page, 'program');
  await expect(page.locator('.plot .strip-title')).toHaveText('Kernels without a FLOP count: % of DRAM bandwidth');
  await choice(page, 'Memory level', 'l2').click();
  await expect(page.locator('.plot .strip-title')).toHaveText('Kernels without a FLOP count: % of L2 bandwidth');
});

test('marks have the area of their share', async ({ page }) => {
  await open(page, 'program');
  const widths = await marks(page).evaluateAll((paths) => paths.map((path) => path.getBoundingClientRect().width));
  expect(Math.max(...widths)).toBeGreaterThan(2 * Math.min(...widths));
});

test('5,000 groups: the first picture in 3 s, a filter in 0.3 s, less than 10 MB', async ({ page }) => {
  const limits = { first: 3000, filter: 300 };
  // Of the thread that draws, since other tests share the processors. They still make a load slower, never faster: up to four, the quickest of each step.
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Infinity);
  };
  const quickest = { first: Infinity, filters: Array<number>(9).fill(Infinity) };
  const medianFilter = (): number => [...quickest.filters].sort((a, b) => a - b)[4] as number;
  for (let load = 0; load < 4 && (quickest.first > limits.first || medianFilter() > limits.filter); ++load) {
    if (load === 0) await open(page, 'program-5000');
    else await page.reload();
    await expect(page.locator('#points [role=status]')).toHaveText(/^5000 launch groups/);
    const first = await spent();
    const filters: number[] = [];
    for (const text of ['layer17', 'elementwise', '', 'layer18', 'layer_norm', '', 'layer19', 'add', '']) {
      const begin = await spent();
      await page.evaluate((typed) => {
        const input = document.getElementById('filter') as HTMLInputElement;
        input.value = typed;
        input.dispatchEvent(new Event('input'));
        return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      }, text);
      filters.push(await spent() - begin);
    }
    const size = await page.evaluate(() => document.documentElement.outerHTML.length);
    console.log(`5000 groups: first picture after ${Math.round(first)} ms, filters ${filters.map(Math.round).join(', ')} ms, ${size} characters`);
    expect(size).toBeLessThan(10e6);
    quickest.first = Math.min(quickest.first, first);
    quickest.filters = quickest.filters.map((time, i) => Math.min(time, filters[i] as number));
  }
  expect(quickest.first).toBeLessThan(limits.first);
  expect(medianFilter()).toBeLessThan(limits.filter);
});

test('the picture of the roofline has the colours of the page and says what they mean', async ({ browser }) => {
  const page = await (await browser.newContext({ colorScheme: 'dark' })).newPage();
  await open(page, 'program');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'SVG', exact: true }).click()]);
  const svg = (await contentOf(download)).toString();
  for (const colour of ['#0072b2', '#d55e00']) expect(svg).toContain(`fill="${colour}"`);
  expect(svg).toContain('>DRAM</text>');
  expect(svg).toContain('Kernels without a FLOP count');
});

test('names of kernels and ranges are text', async ({ page }) => {
  await open(page, 'program-hostile');
  await rows(page).first().click();
  await choice(page, 'NVTX ranges', 'on').click();
  await page.getByRole('button', { name: 'Icicle' }).click();
  await page.locator('.table-tabs button[data-value="names"]').click();
  expect(await page.evaluate(() => (window as any).hacked)).toBeUndefined();
  expect(await page.locator('main img').count()).toBe(0);
});

test('a filter can be typed', async ({ page }) => {
  await open(page, 'program');
  await page.locator('#filter').focus();
  await page.keyboard.type('elementwise');
  await expect(page.locator('#filter')).toHaveValue('elementwise');
  await expect(page).toHaveURL(/filter=elementwise/);
});
