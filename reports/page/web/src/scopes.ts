// SPDX-License-Identifier: Apache-2.0
// The modules and operators of PyTorch that launched a program's kernels, and the program within one of them.
import { cellOf, data, isGroup, type ExperimentView, type PointView, type RangeView } from './data';
import { count, duration, percent } from './format';
import { addWork, fractionOfRoofline, noWork, placeOf, roofedTime } from './sums';

/** The part of a group's time, and of its launches. */
type Part = [number, number];

/** The places of a scope and of those within it: from the first number up to, but not including, the second. */
function placesOf(scopes: readonly RangeView[], path: string): [number, number] {
  const first = scopes.findIndex((scope) => scope.path === path);
  if (first < 0) return [0, 0];
  const { depth } = scopes[first] as RangeView;
  const next = scopes.findIndex((scope, place) => place > first && scope.depth <= depth);
  return [first, next < 0 ? scopes.length : next];
}

function partIn({ group }: PointView, [first, next]: [number, number]): Part {
  const inside = (group?.scopes ?? []).filter(([place]) => place >= first && place < next);
  return inside.reduce<Part>(([time, launches], [, ofTime, ofLaunches]) => [time + ofTime, launches + ofLaunches], [0, 0]);
}

const column = (title: string): number => data.columns.findIndex((candidate) => candidate.title === title);

/**
 * The point with the part of its launches that the trace has there; its rates, counters and times per launch are those of all
 * launches.
 */
function pointIn(point: PointView, [time, launched]: Part): PointView {
  if (!isGroup(point)) return point;
  const scaled = (value: number | null): number | null => (value === null ? null : value * time);
  const { group } = point;
  const launches = Math.round(group.launches * launched);
  const texts = [...point.texts];
  const values = [...point.values];
  const put = (title: string, value: number | null, text: (value: number) => string): void => {
    const index = column(title);
    if (index < 0) return;
    values[index] = value;
    texts[index] = value === null ? '–' : text(value);
  };
  const share = (point.share ?? 0) * time;
  put('share', share, percent);
  put('launches', launches, count);
  put('total', group.total_s * time, duration);
  put('could save', scaled(group.recoverable_s), duration);
  put('could save/step', scaled(cellOf(point, 'could save/step').value), duration);
  return { ...point, share, texts, values, group: { ...group, launches, total_s: group.total_s * time,
    in_steps_s: group.in_steps_s * time, recoverable_s: scaled(group.recoverable_s), flops: scaled(group.flops), bytes: scaled(group.bytes) } };
}

const known = new WeakMap<ExperimentView, Map<string, ExperimentView>>();

/** The experiment within that scope, its points in the same order; those that were not launched there have no time. */
export function inScope(whole: ExperimentView, path: string | null): ExperimentView {
  const torch = whole.program?.torch;
  if (path === null || !torch) return whole;
  let scopes = known.get(whole);
  if (!scopes) known.set(whole, scopes = new Map());
  let found = scopes.get(path);
  if (!found) {
    const places = placesOf(torch.scopes, path);
    scopes.clear();
    scopes.set(path, found = { ...whole, points: whole.points.map((point) => pointIn(point, partIn(point, places))) });
  }
  return found;
}

/** The scopes with sums over the experiment's points of their part in each. */
export function scopesOf(experiment: ExperimentView): RangeView[] {
  const scopes = experiment.program?.torch?.scopes ?? [];
  const sums = scopes.map(() => ({ launches: 0, total: 0, inSteps: 0, roofed: 0, atRoof: 0, recoverable: 0, work: noWork() }));
  /** The innermost scope around each. */
  const around: number[] = [];
  const open: number[] = [];
  scopes.forEach(({ depth }, place) => {
    open.length = depth;
    around.push(open.at(-1) ?? -1);
    open.push(place);
  });
  for (const point of experiment.points) {
    if (!isGroup(point)) continue;
    const { group } = point;
    for (const [scope, time, launched] of group.scopes ?? []) {
      for (let place = scope; place >= 0; place = around[place] as number) {
        const sum = sums[place] as (typeof sums)[number];
        sum.launches += group.launches * launched;
        sum.total += group.total_s * time;
        sum.inSteps += group.in_steps_s * time;
        const { roofed, atRoof } = roofedTime(point);
        sum.roofed += roofed * time;
        sum.atRoof += atRoof * time;
        sum.recoverable += (group.recoverable_s ?? 0) * time;
        addWork(sum.work, group, time);
      }
    }
  }
  const all = experiment.program?.kernel_s ?? 0;
  return scopes.map((scope, place) => {
    const { launches, total, inSteps, roofed, atRoof, recoverable, work } = sums[place] as (typeof sums)[number];
    return {
      ...scope, launches: Math.round(launches), total_s: total, in_steps_s: inSteps, share: all > 0 ? total / all : 0,
      recoverable_s: recoverable, fraction_of_roofline: fractionOfRoofline({ atRoof, roofed }), ...placeOf(work, total),
    };
  });
}
