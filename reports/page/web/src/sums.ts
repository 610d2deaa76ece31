// SPDX-License-Identifier: Apache-2.0
// Sums over the groups of a program that the filters leave.
import { cellOf, isGroup, type ExperimentView, type GroupView, type PointView, type Program } from './data';
import { duration } from './format';

export interface Sum {
  groups: number; launches: number; total: number; inSteps: number; recoverable: number; roofed: number; atRoof: number; flops: number; bytes: number; counted: number;
}

export const groupsOf = (experiment: ExperimentView, indices: readonly number[]): GroupView[] =>
  indices.flatMap((index) => {
    const point = experiment.points[index];
    return isGroup(point) ? [point] : [];
  });

/** Its time, if it has a roof and is not short, and what of that lies below the roof: as in `add_use` (analysis/program/range_tree.cpp). */
export function roofedTime({ group, fraction_of_roofline: fraction }: GroupView): { roofed: number; atRoof: number } {
  const isShort = group.recoverable_s === 0 && (fraction ?? 0) < 1;
  if (group.recoverable_s === null || fraction === null || isShort) return { roofed: 0, atRoof: 0 };
  return { roofed: group.total_s, atRoof: Math.min(1, fraction) * group.total_s };
}

export function sumOf(groups: readonly GroupView[]): Sum {
  const sum = { groups: 0, launches: 0, total: 0, inSteps: 0, recoverable: 0, roofed: 0, atRoof: 0, flops: 0, bytes: 0, counted: 0 };
  for (const point of groups) {
    const { group } = point;
    ++sum.groups;
    sum.launches += group.launches;
    sum.total += group.total_s;
    sum.inSteps += group.in_steps_s;
    sum.recoverable += group.recoverable_s ?? 0;
    const { roofed, atRoof } = roofedTime(point);
    sum.roofed += roofed;
    sum.atRoof += atRoof;
    if (group.flops !== null && group.bytes !== null) {
      sum.flops += group.flops;
      sum.bytes += group.bytes;
      sum.counted += group.total_s;
    }
  }
  return sum;
}

/** What these groups could save, as a share of the program's time: as `saving_share` (analysis/program/losses.cpp). */
export function savingShare({ loss_basis: { is_step, time_s, share_per_s } }: Program, points: readonly GroupView[]): number {
  return points.reduce((sum, point) => {
    const aStep = is_step ? cellOf(point, 'could save/step').value : null;
    const { in_steps_s, recoverable_s } = point.group;
    return sum + (aStep === null ? (in_steps_s > 0 ? share_per_s * (recoverable_s ?? 0) : 0) : aStep / time_s);
  }, 0);
}

/** Whether what is shown is of a step: the program has steps, and no time was selected. */
export const isOfStep = ({ program }: ExperimentView): boolean => program?.loss_basis.is_step ?? false;

/** The share of a step, or of the time of all kernels. */
export const shareOf = ({ program }: ExperimentView, point: PointView): number =>
  (program?.loss_basis.is_step && point.group ? point.group.in_steps_s * program.loss_basis.share_per_s : point.share ?? 0);

/** Whether its kernel ran beside others for so long that the program may gain less than it. */
export const overlaps = (point: GroupView): boolean => cellOf(point, 'could save').text.startsWith('~');

/** `~36.44 µs`: what it could save in a step. */
export function savedInStep({ program }: ExperimentView, point: GroupView): string {
  if (!program || !(point.group.recoverable_s !== null && point.group.recoverable_s > 0) || point.group.in_steps_s === 0) return '–';
  return `${overlaps(point) ? '~' : ''}${duration(savingShare(program, [point]) * program.loss_basis.time_s)}`;
}

/** The known operations and DRAM bytes, with the times of the groups that have them. */
export interface Work { flops: number; flops_s: number; bytes: number; bytes_s: number }

export const noWork = (): Work => ({ flops: 0, flops_s: 0, bytes: 0, bytes_s: 0 });

/** Adds the part `share` of a group. */
export function addWork(work: Work, { flops, bytes, total_s }: GroupView['group'], share = 1): void {
  if (flops !== null) {
    work.flops += flops * share;
    work.flops_s += total_s * share;
  }
  if (bytes !== null) {
    work.bytes += bytes * share;
    work.bytes_s += total_s * share;
  }
}

/** The place of a range of `total_s` on the roofline, as for `RangeUse` (analysis/program/range_tree.cpp). */
export function placeOf({ flops, flops_s, bytes, bytes_s }: Work, total_s: number): { ai: number | null; rate: number | null } {
  const almostAll = 0.99 * total_s;
  const isKnown = total_s > 0 && (flops > 0 || flops_s >= almostAll);
  return { ai: isKnown && bytes > 0 && bytes_s >= almostAll ? flops / bytes : null, rate: isKnown ? flops / total_s : null };
}

/** The share of the time of groups with a roof that lies below these roofs. */
export const fractionOfRoofline = ({ atRoof, roofed }: Pick<Sum, 'atRoof' | 'roofed'>): number | null => (roofed > 0 ? atRoof / roofed : null);

/** The groups by the key that `keyOf` gives them. */
export function groupedBy(groups: readonly GroupView[], keyOf: (group: GroupView) => string): Map<string, GroupView[]> {
  const result = new Map<string, GroupView[]>();
  for (const group of groups) {
    const key = keyOf(group);
    const known = result.get(key);
    if (known) known.push(group);
    else result.set(key, [group]);
  }
  return result;
}
