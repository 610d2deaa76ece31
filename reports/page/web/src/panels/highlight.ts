// SPDX-License-Identifier: Apache-2.0
// The point under the pointer or the keyboard: chart, table and tooltip agree on it.

export interface Active {
  point: number;
  /** Where to show the tooltip, in pixels of the window; null: nowhere. */
  at: { x: number; y: number } | null;
}

type Listener = (active: Active | null) => void;

export class Highlight {
  private current: Active | null = null;
  private readonly listeners: Listener[] = [];

  get active(): Active | null {
    return this.current;
  }

  onChange(listener: Listener): void {
    this.listeners.push(listener);
  }

  set(active: Active | null): void {
    this.current = active;
    for (const listener of this.listeners) listener(active);
  }
}
