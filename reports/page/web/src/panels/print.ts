// SPDX-License-Identifier: Apache-2.0
import type { Chart } from '../chart/chart';

/** On paper the chart is as wide as the page, and light. */
export function preparePrint(chart: Chart): void {
  matchMedia('print').addEventListener('change', () => chart.draw());
  window.addEventListener('beforeprint', () => chart.draw());
  window.addEventListener('afterprint', () => chart.draw());
}
