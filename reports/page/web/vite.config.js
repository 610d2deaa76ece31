// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

// Each page is one file, and so a build of its own: that of a run, and `--mode comparison`.
export default defineConfig(({ mode }) => ({
  build: {
    rollupOptions: { input: mode === 'comparison' ? 'comparison.html' : 'page.html' },
    emptyOutDir: mode !== 'comparison',
    target: 'es2022',
    reportCompressedSize: false,
  },
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
}));
