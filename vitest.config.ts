import { findNatsServer } from '@agentmesh/lib/bus/testing';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/test-run/longest-first.ts';

const excluded = ['**/node_modules/**', '**/dist/**'];

/**
 * Files that also run between processes: one of each family of routes, where calls, streams, uploads and messages cross. All others do in `npm run verify`.
 */
const separateFiles = [
  'accounts/erasure',
  'agents/agents',
  'artifacts/artifacts',
  'audio/transcription',
  'keys/keyed-agents',
  'mail/mail-runs',
  'runs/{runs,watching}',
  'sdk/client',
  'sessions/sessions',
  'web/idempotency',
  'webhooks/callbacks',
].map((file) => `test/e2e/${file}.test.ts`);
const isFull = process.env.VERIFY === 'full';

/** End-to-end tests of the whole mesh in one of its modes: one mesh for all files of the project. */
function endToEnd(mode: 'all' | 'separate') {
  return {
    extends: true as const,
    test: {
      name: `e2e ${mode}`,
      include: mode === 'all' || isFull ? ['test/e2e/**/*.test.ts'] : separateFiles,
      globalSetup: ['test/e2e/mesh-setup.ts'],
      setupFiles: ['test/e2e/await-mesh.ts'],
      // All meshes at once: the longest file of each would leave the other workers idle. Not beside the parts: that took 842 s in place of 749.
      sequence: { groupOrder: 1 },
    },
  };
}

/** The tests whose services tell each other something over the bus, once more over NATS. Without a server they are left out, with a warning. */
const overNats = {
  extends: true as const,
  test: {
    name: 'e2e nats',
    include: [
      'test/e2e/accounts/{bound-tokens,erasure,sign-ins}.test.ts',
      'test/e2e/agents/notifications.test.ts',
      'test/e2e/runs/{ledger,live,traces}.test.ts',
    ],
    globalSetup: ['test/e2e/mesh-setup.ts'],
    setupFiles: ['test/e2e/await-mesh.ts'],
    sequence: { groupOrder: 1 },
  },
};
const hasNats = (await findNatsServer()) !== undefined;

export default defineConfig({
  test: {
    exclude: excluded,
    pool: 'forks',
    // Tests wait for more than half of their time: five on two cores keep both at work.
    maxWorkers: 5,
    // A heap that starts small is collected again and again while the sources are read.
    execArgv: ['--max-semi-space-size=32', '--initial-old-space-size=256'],
    // Node runs the sources itself, as it does for the product. Vite would translate every file again for each file of tests.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // The meshes of the projects end one after the other. What is still running at this limit would be left behind.
    teardownTimeout: 120_000,
    setupFiles: ['test/patient-waits.ts', 'test/generated-cases.ts'],
    expect: { poll: { timeout: 30_000, interval: 50 } },
    // A file leaves its process as it found it. To start Node and import the product anew costs each of them half a second of a core.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './scripts/test-run/summary-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          // Every other test: a new folder of tests needs no entry here.
          include: ['**/*.test.ts'],
          exclude: [...excluded, 'test/e2e/**'],
          sequence: { groupOrder: 0 },
        },
      },
      endToEnd('all'),
      endToEnd('separate'),
      ...(hasNats ? [overNats] : []),
    ],
  },
});
