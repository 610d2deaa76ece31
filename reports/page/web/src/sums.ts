// SPDX-License-Identifier: Apache-2.0
// Sums over the groups of a program that the filters leave.
import { isGroup, type ExperimentView, type GroupView } from './data';

export interface Sum {
  groups: number; launches: number; total: number; recoverable: number; roofed: number; flops: number; bytes: number; counted: number;
}

export const groupsOf = (experiment: ExperimentView, indices: readonly number[]): GroupView[] =>
  indices.flatMap((index) => {
    const point = experiment.points[index];
    return isGroup(point) ? [point] : [];
  });

export function sumOf(groups: readonly GroupView[]): Sum {
  const sum = { groups: 0, launches: 0, total: 0, recoverable: 0, roofed: 0, flops: 0, bytes: 0, counted: 0 };
  for (const { group } of groups) {
    ++sum.groups;
    sum.launches += group.launches;
    sum.total += group.total_s;
    if (group.recoverable_s !== null) {
      sum.recoverable += group.recoverable_s;
      sum.roofed += group.total_s;
    }
    if (group.flops !== null && group.bytes !== null) {
      sum.flops += group.flops;
      sum.bytes += group.bytes;
      sum.counted += group.total_s;
    }
  }
  return sum;
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
export const fractionOfRoofline = ({ recoverable, roofed }: Sum): number | null => (roofed > 0 ? 1 - recoverable / roofed : null);

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
