// SPDX-License-Identifier: Apache-2.0
// The rows of the timeline, from top to bottom, and its axis.
import type { Timeline } from '../data';
import type { Time } from './timeline';

export const PAD = 8;
export const AXIS = 20;
export const BAND = 15;
export const LABEL = 15;
export const PLOT = 34;
const GAP = 5;
/** Further streams are not shown. */
const MOST_STREAMS = 6;
/** Which strips are shown until the reader asks for all. */
const FIRST = ['dram', 'flops', 'tensor', 'fp32', 'fp64', 'l2', 'sm', 'clock', 'power'];

export type Strip = Timeline['strips'][number];
export type Row =
  | { kind: 'phases'; title: string; top: number; height: number }
  | { kind: 'transfers'; title: string; top: number; height: number }
  | { kind: 'ranges'; title: string; top: number; height: number; depth: number }
  | { kind: 'stream'; title: string; top: number; height: number; stream: number }
  | { kind: 'strip'; title: string; top: number; height: number; strip: Strip };

export const lastName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const depthOf = (path: string): number => path.split('/').length - 1;
export const mostOf = ({ most }: Strip): number => most.reduce<number>((high, value) => Math.max(high, value ?? 0), 0);

export function rowsOf(timeline: Timeline, hasAll: boolean): Row[] {
  const rows: Row[] = [];
  let top = AXIS;
  const add = (row: Row): void => {
    rows.push({ ...row, top });
    top += row.height + GAP;
  };
  const band = { top: 0, height: LABEL + BAND };
  if (timeline.phases.length > 0) add({ kind: 'phases', title: 'Phases', ...band });
  for (let depth = 0; depth < timeline.ranges.depths; ++depth) {
    add({ kind: 'ranges', title: depth === 0 ? 'NVTX ranges on the host' : '', top: 0, height: depth === 0 ? LABEL + BAND : BAND, depth });
  }
  const streams = [...new Set(timeline.launches.stream)].sort((a, b) => a - b);
  for (const stream of streams.slice(0, MOST_STREAMS)) add({ kind: 'stream',
    title: streams.length > 1 ? `Kernels, stream ${stream + 1} of ${streams.length}` : 'Kernels', stream, ...band });
  if (timeline.transfers.kind.length > 0) add({ kind: 'transfers', title: 'Copies and memsets', ...band });
  for (const strip of timeline.strips) {
    if (hasAll || (FIRST.includes(strip.id) && mostOf(strip) > 0)) add({ kind: 'strip', title: strip.title, top: 0, height: LABEL + PLOT,
      strip });
  }
  return rows;
}

/** Where a time is on the screen, and what time a pixel stands for. */
export class TimeAxis {
  constructor(readonly visible: Time, readonly width: number, private readonly duration_ns: number) {}

  x(at: number): number {
    return PAD + ((at - this.visible[0]) / (this.visible[1] - this.visible[0])) * (this.width - 2 * PAD);
  }

  at(x: number): number {
    const at = this.visible[0] + ((x - PAD) / (this.width - 2 * PAD)) * (this.visible[1] - this.visible[0]);
    return Math.max(0, Math.min(this.duration_ns, at));
  }
}
