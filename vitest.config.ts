import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{lib,gateway,services,scripts,test}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'test/bench/**'],
    // Tests own processes, sockets and signals: a fork each, and no more of them than the smallest machine has cores.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './scripts/summary-reporter.ts'],
  },
});
