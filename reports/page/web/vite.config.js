// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

export default defineConfig({
  build: {
    rollupOptions: { input: 'page.html' },
    target: 'es2022',
    reportCompressedSize: false,
  },
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
});
