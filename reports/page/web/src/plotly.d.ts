// SPDX-License-Identifier: Apache-2.0
declare module 'plotly.js-basic-dist-min' {
  export * from 'plotly.js';
  export { default } from 'plotly.js';
}
