// SPDX-License-Identifier: Apache-2.0
// What the program put into the page.

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (digit) => digit.charCodeAt(0));
}

/** As it was written: the page contains it compressed. */
export function fileOf(id: 'page-data' | 'run-json' | 'points-csv', type: string): Promise<Blob> {
  const compressed = new Blob([fromBase64(document.getElementById(id)?.textContent ?? '')]);
  const file = compressed.stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(file, { headers: { 'Content-Type': type } }).blob();
}
