// SPDX-License-Identifier: Apache-2.0
// Sums over the groups of a program that the filters leave.
import { isGroup, type ExperimentView, type GroupView } from './data';

export interface Sum { groups: number; launches: number; total: number; recoverable: number; roofed: number; flops: number; bytes: number; counted: number }

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

/** Of the time of groups with a roof, what lies below these roofs. */
export const fractionOfRoof = ({ recoverable, roofed }: Sum): number | null => (roofed > 0 ? 1 - recoverable / roofed : null);

/** The groups by what `keyOf` says of them. */
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
