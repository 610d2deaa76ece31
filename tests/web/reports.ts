// SPDX-License-Identifier: Apache-2.0
// The pages under test, written by the real program from recordings and from runs derived from them.
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';

const ROOFLINECTL = process.env['ROOFLINECTL'] ?? 'rooflinectl';
export const SOURCE = process.env['SOURCE_FOLDER'] ?? join(process.cwd(), '..', '..');
export const FOLDER = join(process.cwd(), 'pages');

export const recorded = (name: string): any => JSON.parse(gunzipSync(readFileSync(join(SOURCE, 'recordings', name, 'run.json.gz'))).toString());

/** The time of a point of the recording's first experiment, as reports write it; it is one of microseconds. */
export function recordedTime(variant: string): string {
  const { measurements } = recorded('reductions-h200');
  return `${(measurements.find((one: any) => one.variant === variant).time.median_s * 1e6).toPrecision(4)} µs`;
}

/** What writes each page, once its run is there. */
const commands = new Map<string, string[]>();

/** The page of a run that is made of a recording. */
function writePage(name: string, change: (run: any) => void = () => {}, recording = 'reductions-h200'): void {
  writePageOf(name, recorded(recording), change);
}

function writePageOf(name: string, run: any, change: (run: any) => void = () => {}, options: string[] = []): void {
  const folder = join(FOLDER, name);
  mkdirSync(folder, { recursive: true });
  change(run);
  writeFileSync(join(folder, 'run.json'), JSON.stringify(run));
  commands.set(name, ['report', folder, '--quiet', ...options]);
}

let loads = 0;
/** Another one each time: a tab would not load again what it shows already. */
export const addressOf = (name: string, page = 'report'): string => `file://${join(FOLDER, name, `${page}.html`)}?${++loads}`;

/** That many points of one experiment, with every mixture of family, caches, dtype and bound that the recording has. */
export function manyPoints(count: number): (run: any) => void {
  return (run) => {
    const known = new Set<string>();
    const seeds = run.measurements.filter((measurement: any) => measurement.status === 'ok');
    const [experiment] = run.plan.experiments;
    run.measurements = Array.from({ length: count }, (_, i) => {
      const copy = structuredClone(seeds[i % seeds.length]);
      const factor = 1 + ((i * 7919) % 1000) / 300;
      copy.experiment = experiment.name;
      copy.n += Math.floor(i / seeds.length);
      copy.cache = i % 3 === 0 ? 'warm' : 'cold';
      const { variant, dtype, cache, block_size, elements_per_thread } = copy;
      const others = JSON.stringify([variant, dtype, cache, block_size, elements_per_thread]);
      while (known.has(`${copy.n} ${others}`)) copy.n += 1;
      known.add(`${copy.n} ${others}`);
      for (const key of ['median_s', 'ci_low_s', 'ci_high_s']) copy.time[key] *= factor;
      copy.time.samples_s = copy.time.samples_s.slice(0, 10).map((s: number) => s * factor);
      copy.time.sample_clocks_hz = copy.time.sample_clocks_hz.slice(0, 10);
      return copy;
    });
    experiment.points = run.measurements.map(({ variant, dtype, n, cache, block_size, elements_per_thread }: any) =>
      ({ variant, dtype, n, cache, block_size, ...(elements_per_thread === undefined ? {} : { elements_per_thread }) }));
    run.plan.experiments = [experiment];
  };
}

/** That many groups of the program, each again in another range. */
function manyGroups(count: number): (run: any) => void {
  return (run) => {
    const groups = run.measurements;
    const known = new Set<string>();
    run.measurements = Array.from({ length: count }, (_, i) => {
      const copy = structuredClone(groups[i % groups.length]);
      const round = Math.floor(i / groups.length);
      if (i % 7 === 3) delete copy.axes.path;
      else copy.axes.path = `layer${round}`;
      // Several kernels with one name and shape differ in their code.
      while (known.has(JSON.stringify([copy.device, copy.subject, copy.axes]))) copy.axes.code = (copy.axes.code ?? 1) + 1;
      known.add(JSON.stringify([copy.device, copy.subject, copy.axes]));
      copy.launches.total_s /= 1 + round;
      // As the merge of a profile has it: full detail for the first 400 alone.
      if (i >= 400) copy.launches.over_time?.splice(8);
      return copy;
    });
  };
}

/** With what warps of the first kernel wait for. */
function withStalls(run: any): void {
  Object.assign(run.measurements[0].counters, {
    stall_pass_warp_cycles: 1000, long_scoreboard_stall_warp_cycles: 610, wait_stall_warp_cycles: 200, not_selected_stall_warp_cycles: 105,
    membar_stall_warp_cycles: 4,
  });
}

/** The kernel that takes longest has line information; of one of its files there is no text. */
export const LONG_LINE = 'logits = tl.dot(hidden_states, tl.load(weight_pointer + vocabulary_rows[:, None] * row_stride + columns[None, :], mask=is_inside, other=0.0))';

function withSourceLines(run: any): void {
  const file = '/home/user/project/model/vocabulary_projection.py';
  run.measurements[0].launches.sampled = {
    samples: 10_000,
    lines: [
      { file, line: 45, source_text: LONG_LINE, samples: 6000, stall: 'long_scoreboard', stalled: 4500 },
      { file, line: 47, source_text: '<b>total</b> += tl.sum(logits)', samples: 2000, stall: 'selected', stalled: 1200 },
      { file: '/usr/lib/python3/triton/language/standard.py', line: 189, samples: 500 },
    ],
  };
}

/** As older versions recorded it. */
function withoutTimes(run: any): void {
  for (const { launches } of run.measurements) delete launches.over_time;
  delete run.application.passes;
  delete run.application.ranges;
}

/** The page of the program with a timeline beside its run. */
function writeSampled(name: string, change: (timeline: any, run: any) => void = () => {}): void {
  const made = (what: string): string => execFileSync(process.env['WRITE_FULL_RUN'] ?? 'write_full_run', [what]).toString();
  const timeline = JSON.parse(made('timeline'));
  const run = JSON.parse(made('program'));
  change(timeline, run);
  mkdirSync(join(FOLDER, name), { recursive: true });
  writeFileSync(join(FOLDER, name, 'timeline.json.gz'), gzipSync(JSON.stringify(timeline)));
  writePageOf(name, run);
}

/** As many passages through NVTX ranges as a page shows. */
function manyPassages(timeline: any): void {
  const [path, process, start, length] = timeline.ranges.find(([index]: [number]) => timeline.paths[index] === 'step');
  timeline.ranges = Array.from({ length: 200_000 }, (_, i) => [path, process, start + i, length]);
}

/** The program on two GPUs, a rank on each; the second one takes 20 % longer, and half of the samples. */
function twoRanks(timeline: any, run: any): void {
  const { length } = run.measurements;
  const [first] = run.application.processes;
  const id = first.id as number;
  run.devices = [run.devices[0], { ...run.devices[0], uuid: 'GPU-22222222-2222-2222-2222-222222222222', index: 1 }];
  run.application.hosts = [{ name: 'node1', boot_id: 'a', clock_ns: 5, uncertainty_s: 0 }];
  run.application.processes = [0, 1].map((rank) => ({ id: id + rank, rank, ranks: 2, host: 0, devices: [rank] }));
  run.application.devices = run.application.devices.filter(({ device }: any) => device === 0);
  run.measurements = [0, 1].flatMap((rank) => structuredClone(run.measurements).map((one: any) => {
    for (const key of ['median_s', 'ci_low_s', 'ci_high_s']) if (one.time) one.time[key] *= 1 + 0.2 * rank;
    one.launches.total_s *= 1 + 0.2 * rank;
    return { ...one, device: rank, rank, process: id + rank };
  }));
  const [device] = timeline.devices;
  const half = device.start_ns.length >> 1;
  timeline.devices = [device, {
    ...device, device: 1, start_ns: device.start_ns.slice(0, half), duration_ns: device.duration_ns.slice(0, half),
    values: Object.fromEntries(Object.entries(device.values).map(([key, values]: any) => [key, values.slice(0, half)])),
    launches: device.launches.map(([place, ...rest]: number[]) => [(place as number) + length, ...rest]),
  }];
}

/** The same, sampled one after the other. */
function ranksApart(timeline: any, run: any): void {
  twoRanks(timeline, run);
  const [first, second] = timeline.devices;
  const half = second.start_ns.length;
  timeline.devices = [{ ...first, start_ns: first.start_ns.slice(half), duration_ns: first.duration_ns.slice(half),
    values: Object.fromEntries(Object.entries(first.values).map(([key, values]: any) => [key, values.slice(half)])) }, second];
}

/** As `watch` leaves it: nothing is known about what ran. */
function watched(timeline: any, run: any): void {
  for (const device of timeline.devices) device.launches = device.transfers = [];
  timeline.paths = timeline.ranges = [];
  run.measurements = [];
  run.plan = { ...run.plan, name: 'watch', experiments: [{ ...run.plan.experiments[0], name: 'watch', title: 'Whatever ran on the GPU' }] };
  delete run.application;
}

/** Markup in every name that a program gives. */
function hostileProgram(run: any): void {
  for (const measurement of run.measurements) {
    measurement.subject = `void ${HOSTILE}::${measurement.subject} ${'x'.repeat(3000)}`;
    if (measurement.axes.path) measurement.axes.path = `${HOSTILE}/${measurement.axes.path}`;
  }
  run.application.problems = [{ cause: HOSTILE, hint: HOSTILE, subject: HOSTILE }];
}

const HOSTILE = '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"><b>bold</b> & "quoted"';

function hostileNames(run: any): void {
  for (const variant of run.catalogue.variants) {
    variant.label = `${variant.label} ${HOSTILE}`;
    variant.family = `${variant.family} ${HOSTILE}`;
  }
  run.plan.name = HOSTILE;
  run.device.name = `H200 ${HOSTILE}`;
  run.host = HOSTILE;
  for (const experiment of run.plan.experiments) experiment.title = HOSTILE;
  for (const ceiling of run.ceilings) {
    ceiling.method = HOSTILE;
    if (ceiling.id === 'f32_fma') ceiling.operation = '<b>name</b>';
  }
}

/** All roofs, both states of the caches, an agreement table of each verdict, and a point that failed. */
function everything(run: any): void {
  run.ceilings = recorded('ceilings-h200').ceilings;
  const [experiment] = run.plan.experiments;
  for (const measurement of [...run.measurements].filter((one: any) => one.experiment === experiment.name)) {
    const warm = structuredClone(measurement);
    warm.cache = 'warm';
    for (const key of ['median_s', 'ci_low_s', 'ci_high_s']) warm.time[key] *= 0.8;
    run.measurements.push(warm);
    experiment.points.push({ ...experiment.points.find((point: any) => point.variant === warm.variant), cache: 'warm' });
  }
  const failed = run.measurements.find((one: any) => one.variant === 'sum_atomic' && one.experiment === experiment.name);
  delete failed.time;
  Object.assign(failed, { status: 'failed', cause: 'the kernel did not end in 30 s' });
  const agreement = (quantity: string, ours: unknown, reference: unknown) =>
    ({ subject: 'known_fadd', quantity, unit: 'operations', ours, reference, tolerance: 0.02, is_relative: true, note: '' });
  run.self_test = {
    reason: '', wall_s: 1.2,
    agreements: [agreement('fadd', 1000, 1000), agreement('ffma', 1200, 1000), agreement('hfma', { unavailable: 'not on this chip' }, 1000)],
  };
  run.cross_checks = [{ tool: 'nsys', version: '', source: '', reason: 'nsys was not found', hint: 'install Nsight Systems', agreements: [] }];
}

/** An experiment, a plan and a title of one long word, replayed, and the first point missing. */
function longNames(run: any): void {
  const name = 'x'.repeat(63);
  run.source = 'replayed';
  run.plan.name = name;
  for (const experiment of run.plan.experiments) experiment.title = `${name}_${experiment.name}`;
  const [experiment] = run.plan.experiments;
  for (const measurement of run.measurements) if (measurement.experiment === experiment.name) measurement.experiment = name;
  experiment.name = name;
  run.measurements.shift();
}

/** The first version over six sizes, as fast per element as it was. */
function overSizes(run: any): void {
  const [experiment] = run.plan.experiments;
  const [first] = run.measurements;
  const measurements = [20, 22, 24, 26, 28, 30].map((power) => {
    const copy = structuredClone(first);
    for (const key of ['median_s', 'ci_low_s', 'ci_high_s']) copy.time[key] *= 2 ** power / first.n;
    for (const key of ['read_bytes', 'written_bytes', 'flops']) copy.work[key] *= 2 ** power / first.n;
    copy.n = 2 ** power;
    return copy;
  });
  run.measurements = [...measurements, ...run.measurements.filter((one: any) => one.experiment !== experiment.name)];
  experiment.points = measurements.map(({ n }) => ({ ...experiment.points[0], n }));
}

/** Ceilings of three devices, of which the third is slower and cannot reach the first, with their links and collectives. */
function severalDevices(run: any): void {
  const { device, ceilings } = run;
  delete run.device;
  run.schema = 2;
  run.devices = [0, 1, 2].map((index) => ({ ...device, index, uuid: `GPU-0000000${index}`, name: index === 2 ? 'Slower GPU' : device.name }));
  const nvlink = { id: 'nvlink', kind: 'transfer', source: 'theoretical', subject: 'nvlink', operation: '', value: 478e9, relative_spread: 0, method: '18 links' };
  run.ceilings = [0, 1, 2].flatMap((place) => [...ceilings, nvlink].map((ceiling: any) => ({ ...ceiling, device: place, value: ceiling.value / (place === 2 ? 2 : 1) })));
  const pair = (from: number, to: number): any => ({ from, to, mover: 'load', both_ways: false, bytes_per_s: (from + 1) * 100e9 + to * 10e9, relative_spread: 0.001, method: 'fake', moved_bytes: 1e9, sent_bytes: 1e9, received_bytes: 0.999e9 });
  const missing = (from: number, to: number): any => ({ from, to, mover: 'load', both_ways: false, bytes_per_s: 0, relative_spread: 0, method: '', missing: 'no peer access between these devices' });
  run.links = [pair(0, 1), missing(0, 2), pair(1, 0), pair(1, 2), missing(2, 0), pair(2, 1)];
  const sizes = [8, 2 ** 15, 2 ** 30].map((bytes) => ({ bytes, time_s: 1e-5 + bytes / 300e9, relative_spread: 0.01 }));
  run.collectives = {
    library: 'NCCL 2.99.0', method: 'fake',
    times: [{ collective: 'all_reduce', sizes, sent_bytes: 4 * 2 ** 30 }, { collective: 'broadcast', sizes: [], sent_bytes: { unavailable: 'not counted' }, missing: 'the result is wrong' }],
  };
}

/** Of sums over two GPUs, which also receive so much that NVLink allows them a little less than DRAM does. */
function overLinks(run: any): void {
  for (const measurement of run.measurements) {
    if (measurement.axes.gpus !== 2) continue;
    measurement.work.link_bytes = 0.05 * measurement.work.read_bytes;
    scaleTime(measurement, 1.2);
  }
}

/** The page of a comparison of two runs. */
function writeComparison(name: string, before: any, after: any): void {
  const folder = join(FOLDER, name);
  for (const [part, run] of [['before', before], ['after', after]] as const) {
    mkdirSync(join(folder, part), { recursive: true });
    writeFileSync(join(folder, part, 'run.json'), JSON.stringify(run));
  }
  commands.set(name, ['compare', join(folder, 'before'), join(folder, 'after'), '--output', folder]);
}

/** A table of Nsight Compute without the metrics that a roof needs in full. */
function writeImported(): void {
  const folder = join(FOLDER, 'imported');
  mkdirSync(folder, { recursive: true });
  const table = join(folder, 'six-metrics.csv');
  writeFileSync(table, gunzipSync(readFileSync(join(SOURCE, 'tests', 'data', 'ncu-2025.3.1-h200-six-metrics.csv.gz'))));
  execFileSync(ROOFLINECTL, ['import', table, '--output', join(folder, 'runs'), '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] });
  copyFileSync(join(folder, 'runs', 'six-metrics', 'latest', 'report.html'), join(folder, 'report.html'));
}

function scaleTime(measurement: any, factor: number): void {
  for (const key of ['median_s', 'ci_low_s', 'ci_high_s']) measurement.time[key] *= factor;
  measurement.time.samples_s = measurement.time.samples_s.map((time: number) => time * factor);
  if (measurement.launches) measurement.launches.total_s *= factor;
}

/** Of a program: groups at the front of the list are faster, others slower, one is gone, one is new, one has another shape. */
function changeProgram(run: any): void {
  run.measurements.slice(0, 6).forEach((measurement: any, i: number) => scaleTime(measurement, [0.7, 1.2, 0.9, 1.05, 0.6, 1.6][i] as number));
  const { subject: eliminated } = run.measurements[8];
  run.measurements = run.measurements.filter(({ subject }: any) => subject !== eliminated);
  run.measurements[9].axes.grid = 12345;
  const fused = structuredClone(run.measurements[7]);
  delete fused.launches.symbol;
  fused.subject = 'void fused_norm_and_copy<float>(float*, long)';
  run.measurements.push(fused);
}

/** Of the ladder: two versions are slower, one is faster. */
function changeLadder(run: any): void {
  [1.2, 1, 0.8, 1, 1.4].forEach((factor, i) => { if (factor !== 1) scaleTime(run.measurements[i], factor); });
}

function changed(run: any, change: (run: any) => void): any {
  change(run);
  return run;
}

/** The recording of a training step where there is one, else the program with as many groups. */
function writeStep(program: any): void {
  const isRecorded = existsSync(join(SOURCE, 'recordings', 'training-step-h200', 'run.json.gz'));
  writePageOf('step', isRecorded ? recorded('training-step-h200') : program, isRecorded ? undefined : manyGroups(97));
}

/** The page of the program with a trace of PyTorch: two layers, and what comes after. `names` makes the names of operators and modules. */
function writeTraced(name: string, program: any, names: (name: string) => string = (name) => name): void {
  const folder = join(FOLDER, name);
  const events: object[] = [];
  const kernelOf = (path: string, word: string): any => program.measurements.find(({ subject, axes }: any) => axes.path === path && subject.includes(word));
  let at = 0;
  const launch = (operator: string, path: string, word: string, dur: number): void => {
    const { subject, axes, resources } = kernelOf(path, word);
    const dims = (value: number | string): number[] => [...String(value).split('x').map(Number), 1, 1].slice(0, 3);
    const args = { correlation: at, 'shared memory': resources.shared_bytes_per_block, grid: dims(axes.grid), block: dims(axes.block) };
    events.push({ ph: 'X', cat: 'cpu_op', name: names(operator), pid: 1, tid: 1, ts: at, dur: 8, args: {} },
      { ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 1, tid: 1, ts: at + 2, dur: 2, args: { correlation: at } },
      { ph: 'X', cat: 'kernel', name: subject, pid: 0, tid: 7, ts: at + 9, dur, args });
    at += 10;
  };
  for (let layer = 0; layer < 2; ++layer) {
    const begin = at;
    launch('aten::native_layer_norm', 'step/forward/block', 'vectorized_layer_norm', 9);
    launch('aten::addmm', 'step/forward/block', 'nvjet', 21);
    launch('aten::add', 'step/forward/block', 'CUDAFunctor_add', layer === 0 ? 3 : 1);
    events.push({ ph: 'X', cat: 'python_function', name: `nn.Module: ${names(`Block_${layer}`)}`, pid: 1, tid: 1, ts: begin, dur: at - begin - 1 });
  }
  launch('aten::mul', 'step/forward/block', 'CUDAFunctor_add', 4);
  launch('aten::_fused_adamw_', 'step/optimizer', 'FusedAdam', 1100);
  mkdirSync(folder, { recursive: true });
  const trace = join(folder, 'trace.json.gz');
  writeFileSync(trace, gzipSync(JSON.stringify({ schemaVersion: 1, traceEvents: events })));
  writePageOf(name, program, () => {}, ['--pytorch-trace', trace]);
}

export default async function setup(): Promise<void> {
  if (process.env['REUSE_PAGES']) return;
  mkdirSync(FOLDER, { recursive: true });
  writePage('shipped');
  writePage('hostile', hostileNames);
  writePage('unmeasured', (run) => { run.measurements = []; });
  writePage('everything', everything);
  writePage('sizes', overSizes);
  writePage('swept', () => {}, 'sizes-h200');
  writePage('long', longNames);
  writePage('primitives', () => {}, 'primitives-h200');
  writePage('energy', () => {}, 'seeds-h200');
  writePage('over-links', overLinks, 'scaling-h200');
  writePage('several-devices', severalDevices, 'ceilings-h200');
  const program = (): any => JSON.parse(execFileSync(process.env['WRITE_FULL_RUN'] ?? 'write_full_run', ['program']).toString());
  writePageOf('program', program());
  writePageOf('program-stalls', program(), withStalls);
  writePageOf('program-lines', program(), withSourceLines);
  writeSampled('sampled');
  writeSampled('sampled-hostile', (timeline) => { timeline.paths = timeline.paths.map((path: string) => `${HOSTILE}/${path}`); });
  writeSampled('sampled-many-ranges', manyPassages);
  writeSampled('watched', watched);
  writeSampled('two-ranks', twoRanks);
  writeSampled('ranks-apart', ranksApart);
  writeTraced('traced', program());
  writeSampled('sampled-traced');
  writeTraced('sampled-traced', program());
  writeTraced('traced-hostile', program(), (name) => `${name} ${HOSTILE}`);
  writePageOf('step-traced', recorded('training-step-h200'), () => {}, ['--pytorch-trace', join(SOURCE, 'tests', 'data', 'torch-2.11.0-h200-training-step.json.gz')]);
  writePageOf('program-old', program(), withoutTimes);
  writePageOf('program-ranges', program(), manyGroups(33));
  writePageOf('program-5000', program(), manyGroups(5000));
  writePageOf('program-hostile', program(), hostileProgram);
  writeStep(program());
  writePage('products', () => {}, 'matrix-sums-h200');
  writePage('ranks-step', () => {}, 'data-parallel-two-h200');
  writePage('fft', () => {}, 'cupy-fft-h200');
  writePage('xla', () => {}, 'jax-training-step-h200');
  writeImported();
  writeComparison('compared-program', recorded('training-step-h200'), changed(recorded('training-step-h200'), changeProgram));
  writeComparison('unrelated', recorded('training-step-h200'), recorded('matrix-sums-h200'));
  writeComparison('compared-ladder', recorded('reductions-h200'), changed(recorded('reductions-h200'), changeLadder));
  writePage('points-2000', manyPoints(2000));
  writePage('points-10000', manyPoints(10_000));
  const left = [...commands.values()];
  const write = async (): Promise<void> => {
    for (let command = left.pop(); command; command = left.pop()) await promisify(execFile)(ROOFLINECTL, command);
  };
  await Promise.all([write(), write()]);
}
