// SPDX-License-Identifier: Apache-2.0

export type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | null | undefined>;

const isThere = (child: Child): child is Node | string => child !== null && child !== undefined && child !== false;

/**
 * An element with attributes, listeners (`onclick`) and children. Texts become text nodes: names from files are data, never
 * markup.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value as unknown as EventListener);
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.filter(isThere));
  return element;
}

/** A name in code that may be broken where an engineer would break it, rather than in the middle of a word. */
export const breakable = (name: string): Child[] =>
  name.split(/(?<=::|[_<,/])(?!$)|(?<=[a-z])(?=[A-Z])/).flatMap((part, i) => (i > 0 ? [h('wbr'), part] : [part]));

/** Puts `children` into `element` in place of what is there. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...children.filter(isThere));
}

export function scrollBox(label: string, table: HTMLElement): HTMLElement {
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, table);
}

/** What is folded away under a summary: `content` is called when it is first opened. */
export function folded(summary: string, content: () => Child[], attributes: Attributes = {}): HTMLElement {
  const element = h('details', attributes, h('summary', {}, summary));
  const unfold = (): void => element.append(...content().filter(isThere));
  if (element.open) unfold();
  else element.addEventListener('toggle', unfold, { once: true });
  return element;
}

/** Draws `element` anew; a button with a `data-value`, unique in its `fieldset`, keeps the focus. */
export function keepFocus(element: HTMLElement, draw: () => void): void {
  const nameOf = (button: HTMLElement): string =>
    `${button.closest('fieldset')?.querySelector('legend')?.textContent ?? ''}/${button.dataset['value']}`;
  const active = element.contains(document.activeElement) ? document.activeElement as HTMLElement : null;
  const focused = active?.dataset['value'] === undefined ? null : nameOf(active);
  draw();
  if (focused === null) return;
  [...element.querySelectorAll<HTMLElement>('[data-value]')].find((button) => nameOf(button) === focused)?.focus();
}
