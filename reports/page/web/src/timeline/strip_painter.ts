// SPDX-License-Identifier: Apache-2.0
// Paints the timeline: everything except the cursor and the choice.
import { wordsFor, type ExperimentView, type Timeline } from '../data';
import { linearTicks, tickTexts } from '../panels/launches';
import { AXIS, BAND, LABEL, PAD, PLOT, depthOf, lastName, type Row, type Strip, type TimeAxis } from './strip_rows';
import type { Colours } from '../theme';
import { launchesOf, rangesOf, roofName, transfersOf, valueText } from './timeline';

export class StripPainter {
  /** `shown`: the points that no filter leaves out. */
  constructor(private readonly context: CanvasRenderingContext2D, private readonly timeline: Timeline,
    private readonly experiment: ExperimentView,
    private readonly shown: ReadonlySet<number>, private readonly axis: TimeAxis, private readonly colours: Colours) {}

  paint(rows: readonly Row[], height: number): void {
    this.drawAxis(height);
    for (const row of rows) this.drawRow(row);
  }

  private drawAxis(height: number): void {
    const ticks = linearTicks(this.axis.visible[0] * 1e-9, this.axis.visible[1] * 1e-9, Math.max(2, this.axis.width / 110));
    const texts = tickTexts(ticks);
    this.context.textAlign = 'center';
    ticks.forEach((tick, i) => {
      const x = this.axis.x(tick * 1e9);
      this.context.fillStyle = this.colours.grid;
      this.context.fillRect(Math.round(x), AXIS - 4, 1, height);
      this.context.fillStyle = this.colours.muted;
      const text = texts[i] ?? '';
      const half = this.context.measureText(text).width / 2;
      this.context.fillText(text, Math.max(half + 1, Math.min(this.axis.width - half - 1, x)), 11);
    });
    this.context.textAlign = 'left';
  }

  private drawRow(row: Row): void {
    this.context.fillStyle = this.colours.muted;
    if (row.title !== '') this.context.fillText(row.title, PAD, row.top + 11);
    const top = row.top + (row.title === '' ? 0 : LABEL);
    if (row.kind === 'strip') return this.drawStrip(row.strip, top);
    if (row.kind === 'phases') return this.drawPhases(top);
    if (row.kind === 'ranges') return this.drawRanges(top, row.depth);
    if (row.kind === 'transfers') return this.drawTransfers(top);
    return this.drawLaunches(top, row.stream);
  }

  /** A box with as much of its name as fits. */
  private box(from: number, to: number, top: number, name: string, colour: string, alpha: number, ink: string): void {
    const left = Math.max(PAD, this.axis.x(from));
    const right = Math.min(this.axis.width - PAD, this.axis.x(to));
    if (right <= left) return;
    this.context.globalAlpha = alpha;
    this.context.fillStyle = colour;
    this.context.fillRect(left, top, Math.max(0.5, right - left - (right - left > 4 ? 1 : 0)), BAND);
    this.context.globalAlpha = 1;
    const room = Math.floor((right - left - 8) / 6.2);
    if (room < 3 || name === '') return;
    this.context.save();
    this.context.beginPath();
    this.context.rect(left, top, right - left - 2, BAND);
    this.context.clip();
    this.context.fillStyle = ink;
    this.context.fillText(name.length > room ? `${name.slice(0, room - 1)}…` : name, left + 4, top + 11);
    this.context.restore();
  }

  private drawPhases(top: number): void {
    const names = [...new Set(this.timeline.phases.map(({ name }) => name))];
    for (const { name, start_ns, duration_ns } of this.timeline.phases) {
      this.box(start_ns, start_ns + duration_ns, top, lastName(name), this.colours.family(names.indexOf(name)), 0.28, this.colours.ink);
    }
  }

  private drawRanges(top: number, depth: number): void {
    const { start, end } = rangesOf(this.timeline);
    const { path } = this.timeline.ranges;
    for (let i = 0; i < start.length; ++i) {
      const name = this.timeline.paths[path[i] as number] ?? '';
      if (depthOf(name) !== depth || (end[i] as number) < this.axis.visible[0] || (start[i] as number) > this.axis.visible[1]) continue;
      this.box(start[i] as number, end[i] as number, top, lastName(name), this.colours.line, 0.8, this.colours.ink);
    }
  }

  private drawTransfers(top: number): void {
    const { start, end } = transfersOf(this.timeline);
    for (let i = 0; i < start.length; ++i) {
      if ((end[i] as number) < this.axis.visible[0] || (start[i] as number) > this.axis.visible[1]) continue;
      this.box(start[i] as number, end[i] as number, top, (this.timeline.transfers.kind[i] ?? '').replaceAll('_', ' '),
        this.colours.muted, 0.55, this.colours.paper);
    }
  }

  /** Of launches that share a pixel, the one that covers most of it. */
  private drawLaunches(top: number, of: number): void {
    const { start, end, stream, point } = launchesOf(this.timeline);
    const { points } = this.experiment;
    const colours = points.map(({ bound }) => {
      const { colour } = wordsFor(bound);
      return colour === null ? this.colours.unknown : this.colours.family(colour);
    });
    let pixel = -1;
    let most = 0;
    let best = -1;
    const alphaOf = (index: number): number => (this.shown.has(index) ? 1 : 0.25);
    const flush = (): void => {
      if (pixel < 0) return;
      this.context.globalAlpha = alphaOf(best);
      this.context.fillStyle = colours[best] ?? this.colours.faint;
      this.context.fillRect(pixel, top, 1, BAND);
      this.context.globalAlpha = 1;
      pixel = -1;
      most = 0;
    };
    for (let i = 0; i < start.length && (start[i] as number) <= this.axis.visible[1]; ++i) {
      if (stream[i] !== of || (end[i] as number) < this.axis.visible[0]) continue;
      const [left, right] = [this.axis.x(start[i] as number), this.axis.x(end[i] as number)];
      const index = point[i] as number;
      if (right - left >= 1.5) {
        flush();
        this.box(start[i] as number, end[i] as number, top, points[index]?.label ?? '', colours[index] ?? this.colours.faint,
          alphaOf(index), this.colours.paper);
        continue;
      }
      if (Math.floor(left) !== pixel) flush();
      pixel = Math.max(PAD, Math.floor(left));
      if (right - left > most) {
        most = right - left;
        best = index;
      }
    }
    flush();
  }

  private highOf(strip: Strip): number {
    // Extremes may be cut off: one short launch must not flatten the rest.
    return Math.max(strip.roof ?? 0, ...strip.means.map((mean) => mean ?? 0)) * 1.06 || 1;
  }

  private drawStrip(strip: Strip, top: number): void {
    const { bin_ns, duration_ns } = this.timeline;
    const high = this.highOf(strip);
    const bottom = top + PLOT;
    const y = (value: number): number => bottom - (value / high) * PLOT;
    this.context.save();
    this.context.beginPath();
    this.context.rect(PAD, top - 1, this.axis.width - 2 * PAD, PLOT + 2);
    this.context.clip();
    const first = Math.max(0, Math.floor(this.axis.visible[0] / bin_ns));
    const last = Math.min(strip.means.length - 1, Math.ceil(this.axis.visible[1] / bin_ns));
    const width = this.axis.x(bin_ns) - this.axis.x(0);
    const fillOf = (values: readonly (number | null)[], alpha: number, together: (of: number[]) => number): void => {
      this.context.globalAlpha = alpha;
      this.context.fillStyle = this.colours.accent;
      if (width < 1) {
        // Parts that share a pixel would be drawn over each other.
        let [pixel, of] = [-1, [] as number[]];
        const flush = (): void => {
          if (of.length > 0) this.context.fillRect(pixel, y(together(of)), 1, bottom - y(together(of)));
          of = [];
        };
        for (let i = first; i <= last; ++i) {
          const at = Math.floor(this.axis.x((i + 0.5) * bin_ns));
          if (at !== pixel) flush();
          pixel = at;
          const value = values[i];
          if (value != null) of.push(value);
        }
        flush();
        this.context.globalAlpha = 1;
        return;
      }
      for (let i = first; i <= last; ++i) {
        const value = values[i];
        if (value == null) continue;
        const left = this.axis.x(i * bin_ns);
        this.context.fillRect(left, y(value), Math.max(0.7, this.axis.x(Math.min((i + 1) * bin_ns, duration_ns)) - left + 0.3),
          bottom - y(value));
      }
      this.context.globalAlpha = 1;
    };
    fillOf(strip.most, 0.28, (of) => Math.max(...of));
    fillOf(strip.means, 0.85, (of) => of.reduce((sum, value) => sum + value, 0) / of.length);
    // No sample: nothing is known, which is not 0.
    this.context.fillStyle = this.colours.grid;
    for (let i = first; i <= last; ++i) {
      if (strip.means[i] == null) this.context.fillRect(this.axis.x(i * bin_ns), top,
        Math.max(1, this.axis.x((i + 1) * bin_ns) - this.axis.x(i * bin_ns) + 0.3), PLOT);
    }
    this.context.restore();
    this.context.fillStyle = this.colours.line;
    this.context.fillRect(PAD, bottom, this.axis.width - 2 * PAD, 1);
    if (strip.roof !== null) {
      this.context.strokeStyle = this.colours.roof;
      this.context.setLineDash([5, 3]);
      this.context.beginPath();
      this.context.moveTo(PAD, y(strip.roof));
      this.context.lineTo(this.axis.width - PAD, y(strip.roof));
      this.context.stroke();
      this.context.setLineDash([]);
      const text = strip.unit === 'share' ? '' : `${roofName(strip.unit)} ${valueText(strip.roof, strip.unit)}`;
      this.context.textAlign = 'right';
      this.context.fillStyle = this.colours.muted;
      this.context.fillText(text, this.axis.width - PAD, top - 4);
      this.context.textAlign = 'left';
    }
  }
}
