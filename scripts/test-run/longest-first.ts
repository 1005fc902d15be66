import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longer than 10 s, the longest first, but those that mostly wait between those that mostly work. Vitest begins with the files that have most text, so some of these would be the
 * last ones, and leave the other workers idle for a minute. A file that is not named here still runs.
 */
const longest = [
  'test/cost/idle-mesh',
  'test/e2e/sdk/python',
  'test/e2e/mail/mail-runs',
  'test/simulation/upgrade',
  'test/faults/erasure',
  'test/new-service',
  'test/faults/mail',
  'test/simulation/rotations',
  'test/e2e/web/console-states',
  'test/description/description',
  'test/faults/waits',
  'test/start/start',
  'test/e2e/cli/command',
  'test/start/migrate',
  'services/sessions/test/turns/dead-executors',
  'test/faults/charged-deaths',
  'test/simulation/frozen-replica',
  'test/documentation/commands',
  'test/faults/hostile-models',
  'test/faults/service-death',
  'test/start/tracing',
  'test/simulation/cached-names',
  'test/faults/kill',
  'test/faults/jobs',
  'test/consumers/consumers',
  'test/start/dev',
  'services/memory/test/embeddings',
  'test/e2e/web/console',
  'lib/bus/postgres/create-pg-driver',
  'test/simulation/nats-outages',
  'test/faults/rollout',
  'test/faults/wrong-clock',
  'services/runs/src/apps/registry/late-apps',
  'services/keys/test/reencryption',
  'test/e2e/web/browser',
  'test/simulation/failover',
  'gateway/test/runs/live',
  'lib/rpc/client/exchanges',
  'services/keys/test/finalize',
  'test/simulation/memory-alone',
  'services/runs/src/apps/code/code-apps',
  'services/sessions/test/sizes',
  'test/start/restore',
  'services/sessions/test/grown-accounts',
  'test/e2e/sdk/generated-clients',
  'test/faults/sign-ins',
  'test/simulation/mesh-faults',
  'test/timing/accounts',
  'test/start/data-dir',
  'lib/bus/outbox-relay',
  'test/faults/artifacts',
  'services/sessions/test/turns/final-states.property',
  'test/e2e/web/console-runs',
  'test/e2e/adk/triggers',
  'test/sdk/pack',
  'test/e2e/sdk/cuts',
  'test/e2e/runs/answer-mail',
  'lib/bus/nats/connect-nats',
  'test/faults/silent-database',
  'test/cost/held-runs',
  'services/sessions/test/turns/executor-leases',
  'test/faults/takeover',
  'services/sessions/test/session-pages',
  'test/cost/plain-run',
  'test/certificates',
  'services/sessions/test/fresh-database',
  'test/start/replay',
  'test/start/bundle',
  'test/logins/stolen-locks',
  'services/runs/src/apps/files/load-agent-files.property',
  'test/e2e/runs/models',
  'test/e2e/accounts/secrets',
  'test/e2e/web/event-source',
  'test/sdk/conformance',
  'services/runs/src/apps/a2a/python-agents',
  'services/transcription/test/transcription',
  'test/e2e/keys/keyed-agents',
  'test/e2e/accounts/account-mail',
  'test/e2e/web/console-mail',
  'test/e2e/web/console-away',
  'test/e2e/sdk/reference',
].map((name) => fileURLToPath(new URL(`../../${name}.test.ts`, import.meta.url)));

const missing = longest.filter((file) => !existsSync(file));
if (missing.length > 0)
  throw new Error(`scripts/test-run/longest-first.ts names files that are not there: ${missing.join(', ')}`);

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = longest.indexOf(moduleId);
  return rank === -1 ? longest.length : rank;
};

/** Begins each project with its longest files. The project of most files is the last one of its group: its short files fill the time of the other workers. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const sizes = Map.groupBy(usual, ({ project }) => project.name);
    const sizeOf = ({ project }: TestSpecification): number => sizes.get(project.name)?.length ?? 0;
    const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    return usual.toSorted(
      (one, other) => groupOf(one) - groupOf(other) || sizeOf(one) - sizeOf(other) || rankOf(one) - rankOf(other),
    );
  }
}
