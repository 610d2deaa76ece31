// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testMatch: '*.spec.ts',
  globalSetup: './reports.ts',
  outputDir: 'results',
  timeout: 60_000,
  workers: 2,
  fullyParallel: true,
  reporter: 'list',
  use: {
    viewport: { width: 1440, height: 1700 },
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell',
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update'],
    },
  },
});
