// SPDX-License-Identifier: Apache-2.0
// The ranks of a program side by side: time by rank and phase, and what each did over time.
import { data, type RanksView } from '../data';
import { fill, h, scrollBox } from '../dom';
import { titledTable } from './sections';
import { draw } from '../chart/svg';

type Phases = RanksView['phases'];
type Lanes = NonNullable<RanksView['lanes']>;

/** How far a rank is from the median of its row when its colour is fullest: a quarter. */
const FULL = 0.25;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Colours that every reader can tell apart: orange and blue. */
const [LONGER, SHORTER] = [1, 0];

/** Longer than the median: warm; shorter: cold. */
function colourOf(time: number, middle: number): string {
  if (middle <= 0) return 'var(--paper)';
  const distance = Math.max(-1, Math.min(1, (time / middle - 1) / FULL));
  return `color-mix(in srgb, var(--family-${distance > 0 ? LONGER : SHORTER}) ${(60 * Math.abs(distance)).toFixed(0)}%, var(--paper))`;
}

/** With this many ranks, cells have no room for a text. */
const MOST_WITH_TEXT = 16;

/** Those of the names, such as `rank 3`, that are in a list such as `0-3, 17`; all of them where it is empty. */
type Chosen = (name: string) => boolean;

function chosenBy(list: string): Chosen {
  const spans = [...list.matchAll(/(\d+)(?:\s*[-–]\s*(\d+))?/g)]
    .map(([, first, last]) => [Number(first), Number(last ?? first)] as const);
  if (spans.length === 0) return () => true;
  return (name) => [...name.matchAll(/\d+/g)].some(([number]) =>
    spans.some(([first, last]) => Number(number) >= first && Number(number) <= last));
}

function phaseMap({ ranks: all, rows, left_out_ranks: ranksLeft, left_out_phases: phasesLeft }: Phases, isChosen: Chosen): HTMLElement {
  const places = all.flatMap((name, place) => (isChosen(name) ? [place] : []));
  const ranks = places.map((place) => all[place] as string);
  const hasTexts = ranks.length <= MOST_WITH_TEXT;
  const row = ({ name, times_s: times, texts }: Phases['rows'][number]): HTMLElement => {
    const middle = median(times);
    return h('tr', {}, h('th', { scope: 'row', title: name }, name), ...places.map((place) => {
      const text = texts[place] ?? '';
      const cell = h('td', { class: 'number', title: `${name}, ${all[place]}: ${text}`, 'data-rank': place }, hasTexts && text);
      cell.style.background = colourOf(times[place] as number, middle);
      return cell;
    }));
  };
  return h('div', {}, h('h3', {}, 'Time by rank and phase'),
    h('p', { class: 'muted' },
      'Time in kernels within each NVTX range; collectives, in which ranks wait for each other, are a row of their own. ' +
      'Orange: longer than the median of the row, blue: shorter; colours saturate at 25\u00a0%.'),
    scrollBox('Time by rank and phase', h('table', { class: `heat-map rank-map${hasTexts ? '' : ' narrow'}` },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'phase'),
        ...ranks.map((name) => h('th', { scope: 'col', class: 'number', title: name }, hasTexts ? name : '')))),
      h('tbody', {}, ...rows.map(row)))),
    ranksLeft > 0 && h('p', { class: 'muted' }, `${all.length} of ${all.length + ranksLeft} ranks are shown, evenly spaced.`),
    phasesLeft > 0 && h('p', { class: 'muted' }, `… and ${phasesLeft} more phases.`));
}

const LANE_HEIGHT = 18;
const LANE_GAP = 4;

/** The area below the values of one kind, stacked on those of `below`; parts without samples are left out. */
function area(values: readonly (number | null)[], below: readonly (number | null)[], y: number): string {
  return values.flatMap((value, x) => {
    if (value === null || value === 0) return [];
    const base = y + LANE_HEIGHT * (1 - (below[x] ?? 0));
    return [`M${x} ${base.toFixed(2)}v${(-LANE_HEIGHT * value).toFixed(2)}h1v${(LANE_HEIGHT * value).toFixed(2)}z`];
  }).join('');
}

function laneStrips({ duration, lanes: all }: Lanes, isChosen: Chosen): HTMLElement {
  const lanes = all.filter(({ name }) => isChosen(name));
  const width = lanes[0]?.compute.length ?? 0;
  const height = lanes.length * (LANE_HEIGHT + LANE_GAP);
  const none = new Array<number>(width).fill(0);
  const picture = draw('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', class: 'rank-lanes', role: 'img',
    'aria-label': `What ${lanes.length} devices did in ${duration}` });
  lanes.forEach(({ name, compute, collectives }, i) => {
    const y = i * (LANE_HEIGHT + LANE_GAP);
    const missing = compute.flatMap((value, x) => (value === null ? [`M${x} ${y}h1v${LANE_HEIGHT}h-1z`] : [])).join('');
    picture.append(draw('g', { class: 'lane' }, draw('title', {}, name),
      draw('rect', { class: 'idle', x: 0, y, width, height: LANE_HEIGHT }),
      draw('path', { class: 'missing', d: missing }),
      draw('path', { class: 'compute', d: area(compute, none, y) }),
      draw('path', { class: 'collective', d: area(collectives, compute, y) })));
  });
  picture.style.height = `${height}px`;
  const names = h('div', { class: 'rank-lane-names' }, ...lanes.map(({ name }) => h('span', { title: name }, name)));
  return h('div', {}, h('h3', {}, 'Over time, one lane per rank'),
    h('p', { class: 'muted' }, `${duration} from the first sample to the last. `,
      h('span', { class: 'lane-key compute' }), ' kernels ', h('span', { class: 'lane-key collective' }), ' collectives alone ',
      h('span', { class: 'lane-key idle' }), ' idle ', h('span', { class: 'lane-key missing' }), ' not sampled'),
    h('div', { class: 'rank-lane-box' }, names, picture));
}

type SideBySide = NonNullable<RanksView['side_by_side']>;

/** When each rank was in collectives, and how long it waited in them for the last one. */
function sideBySide({ what, ranks: all }: SideBySide, isChosen: Chosen = () => true): HTMLElement {
  const WIDTH = 1000;
  const lane = ({ name, collectives }: SideBySide['ranks'][number]): SVGElement => {
    const picture = draw('svg', { viewBox: `0 0 ${WIDTH} 1`, preserveAspectRatio: 'none', class: 'rank-lane', role: 'img',
      'aria-label': `${name}: ${collectives.length} collectives` });
    const part = (of: readonly (readonly [number, number])[]): string =>
      of.map(([start, length]) => `M${(WIDTH * start).toFixed(1)} 0h${(WIDTH * length).toFixed(1)}v1h${(-WIDTH * length).toFixed(1)}z`).join('');
    picture.append(draw('path', { class: 'waiting', d: part(collectives.map(([start, , wait]) => [start, wait])) }),
      draw('path', { class: 'collective', d: part(collectives.map(([start, length, wait]) => [start + wait, length - wait])) }));
    return picture;
  };
  return h('div', { class: 'side-by-side' },
    h('p', { class: 'muted' }, `${what}: `,
      h('span', { class: 'lane-key waiting' }), ' waits in a collective ', h('span', { class: 'lane-key collective' }), ' exchanges ',
      h('span', { class: 'lane-key idle' }), ' other kernels, or idle'),
    h('dl', {}, ...all.filter(({ name }) => isChosen(name)).map((rank) => h('div', {},
      h('dt', {}, rank.name, h('span', { class: 'muted' }, [rank.last, rank.use].filter((text) => text !== '').map((text) => ` · ${text}`).join(''))),
      h('dd', {}, lane(rank))))));
}

/** As many ranks as the first screen has room for, with those that make others wait most. */
export function ranksAtAGlance(): HTMLElement | null {
  const MOST = 4;
  const found = data.run.ranks?.side_by_side;
  if (!found) return null;
  const byLast = [...found.ranks].sort((a, b) => Number.parseFloat(b.last.slice('last in '.length)) - Number.parseFloat(a.last.slice('last in '.length)));
  const shown = new Set(found.ranks.length > MOST ? byLast.slice(0, MOST).map(({ name }) => name) : found.ranks.map(({ name }) => name));
  return sideBySide(found, (name) => shown.has(name));
}

/** In tables whose first column is the rank, the rows of the chosen ranks. */
function ofChosen({ title, table }: RanksView['tables'][number], isChosen: Chosen): RanksView['tables'][number] {
  const isByRank = table.columns[0]?.title === 'rank';
  return { title, table: isByRank ? { ...table, rows: table.rows.filter(([name]) => isChosen(name ?? '')) } : table };
}

/** For a program with several processes. */
export function ranks(): HTMLElement | null {
  const found = data.run.ranks;
  if (!found) return null;
  const filter = h('input', { type: 'search', id: 'rank-filter', placeholder: '0-3, 17', autocomplete: 'off', spellcheck: 'false' });
  const parts = h('div');
  const update = (): void => {
    const isChosen = chosenBy(filter.value);
    fill(parts,
      found.phases.rows.length > 0 && phaseMap(found.phases, isChosen),
      found.side_by_side && h('div', {}, h('h3', {}, 'Collectives, rank by rank'), sideBySide(found.side_by_side, isChosen)),
      found.lanes && laneStrips(found.lanes, isChosen),
      ...found.tables.map((each) => titledTable(ofChosen(each, isChosen))));
  };
  filter.addEventListener('input', update);
  update();
  return h('section', { id: 'ranks' }, h('h2', {}, 'Ranks'),
    h('ul', {}, ...found.sentences.map((text) => h('li', {}, text))),
    h('label', { for: 'rank-filter', class: 'filter' }, 'Show ranks ', filter),
    parts);
}
