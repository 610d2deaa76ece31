// SPDX-License-Identifier: Apache-2.0
// Long names in little room.

/** At most this many characters, with the middle left out: names differ at both ends. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.ceil((most - 1) * 0.6);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`.replace(/…[….,\s]*…|[….]*…/, '…');
}

/** Shortened texts that differ in fewer than this many characters next to the cut look the same. */
const SEEN = 4;

function looksOf(text: string, most: number): string {
  const [head, tail] = shortened(text, most).split('…');
  return tail === undefined ? text : `${head}…${tail.slice(SEEN - Math.floor((most - 1) * 0.4))}`;
}

/** What all of them begin with. */
export function commonStart(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let length = 0;
  while (length < first.length && others.every((text) => text[length] === first[length])) ++length;
  return first.slice(0, length);
}

/** Each shortened to `most` characters, so that those which differ look different: what tells them apart stays, between two cuts. */
export function cutApart(texts: readonly string[], most: number): Map<string, string> {
  const alike = new Map<string, string[]>();
  for (const text of new Set(texts)) {
    const looks = looksOf(text, most);
    alike.set(looks, [...(alike.get(looks) ?? []), text]);
  }
  const result = new Map<string, string>();
  for (const group of alike.values()) {
    if (group.length === 1) {
      for (const text of group) result.set(text, shortened(text, most));
    } else {
      for (const [text, cut] of aroundDifference(group, most)) result.set(text, cut);
    }
  }
  return result;
}

/** The beginning, the place where they begin to differ, and the end if they differ there, too. */
function aroundDifference(texts: readonly string[], most: number): [string, string][] {
  const common = commonStart(texts).length;
  const head = Math.floor(most * 0.35);
  const cutAt = (text: string, tail: number): string => {
    // From the beginning of the word that differs, unless that is far back.
    const word = Math.max(/[A-Za-z0-9]*$/.exec(text.slice(0, common))?.index ?? common, common - 24);
    const room = most - head - tail - 2;
    if (word <= head + 1) return shortened(text, most);
    if (text.length - word <= room + tail + 1) return `${text.slice(0, most - 1 - (text.length - word))}…${text.slice(word)}`;
    return `${text.slice(0, head)}…${text.slice(word, word + room)}…${text.slice(text.length - tail)}`;
  };
  const ways = [(text: string) => cutAt(text, Math.floor(most * 0.2)), (text: string) => cutAt(text, 0),
    (text: string) => cutAt(text, Math.floor(most * 0.45)), (text: string) => shortened(text, most)]
    .map((way) => texts.map((text) => way(text).replace(/…[….,\s]*…|[….]*…/g, '…')));
  const counts = ways.map((all) => {
    const count = new Map<string, number>();
    for (const cut of all) count.set(cut, (count.get(cut) ?? 0) + 1);
    return count;
  });
  const used = new Set<string>();
  return texts.map((text, i): [string, string] => {
    const own = ways.map((all) => all[i] as string);
    const cut = own.find((candidate, way) => counts[way]?.get(candidate) === 1 && !used.has(candidate)) ?? own.at(-1) as string;
    used.add(cut);
    return [text, cut];
  });
}
