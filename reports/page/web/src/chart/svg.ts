// SPDX-License-Identifier: Apache-2.0

const SVG = 'http://www.w3.org/2000/svg';

/** An element of SVG with attributes, except those that are null. Texts become text nodes. */
export function draw<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Record<string, string | number | null> = {}, ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** To a hundredth of a pixel. */
export const short = (pixels: number): number => Math.round(100 * pixels) / 100;
