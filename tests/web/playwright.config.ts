// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testMatch: '*.spec.ts',
  globalSetup: './reports.ts',
  outputDir: 'results',
  // A machine that runs other tests, too, may be many times slower.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  // A test that passes only when it is repeated is reported as flaky.
  retries: 2,
  workers: 2,
  fullyParallel: true,
  reporter: 'list',
  use: {
    actionTimeout: 30_000,
    viewport: { width: 1440, height: 1700 },
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell',
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update'],
    },
  },
});
