import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type LoadClient } from '../load/load-client.ts';
import { startMeshOneProcess } from '../targets/mesh-targets.ts';
import type { Part } from './part.ts';

const rounds = 60;
const runsPerSession = 20;

const yaml = 'name: echo\nmodel: echo/echo\n';
const code = `import { LlmAgent } from '@google/adk';
export const rootAgent = new LlmAgent({ name: 'echo', model: 'echo/echo' });
`;

/** Time of a run of an agent in code beside the same agent in YAML, one run at a time, in sessions of twenty runs. */
export const codeRuns: Part = {
  name: 'code-runs',
  measure: async ({ say, signal }) => {
    await using resources = new AsyncDisposableStack();
    const dir = resources.adopt(await mkdtemp(join(tmpdir(), 'bench-')), (path) => rm(path, { recursive: true }));
    for (const [file, text] of Object.entries({ 'described/root_agent.yaml': yaml, 'coded/agent.ts': code })) {
      await mkdir(join(dir, file, '..'), { recursive: true });
      await writeFile(join(dir, file), text);
    }
    const { url, token } = resources.use(await startMeshOneProcess({ AGENTS_DIR: dir }));
    const clientOf = (app: string) => createClient({ url, app, connections: 1, token });
    const apps = [
      { client: clientOf('described'), latencies: [] as number[] },
      { client: clientOf('coded'), latencies: [] as number[] },
    ];
    say(`${rounds} sessions of ${runsPerSession} runs for each app, alternately`);
    for (let round = 0; round < rounds; round += 1) {
      for (const { client, latencies } of apps) {
        signal.throwIfAborted();
        latencies.push(...(await runSession(client)));
      }
    }
    const [described = 0, coded = 0] = apps.map(({ latencies }) => medianOf(latencies.slice(latencies.length / 4)));
    return [
      { label: 'run of an agent in YAML, p50 ms', value: described },
      { label: 'run of the same agent in code, p50 ms', value: coded },
      { label: 'what code adds to a run, p50 ms', value: coded - described, atMost: 1 },
    ];
  },
};

async function runSession(client: LoadClient): Promise<number[]> {
  const session = await client.createSession();
  const latencies: number[] = [];
  for (let run = 0; run < runsPerSession; run += 1) {
    const started = performance.now();
    await client.run(session);
    latencies.push(performance.now() - started);
  }
  return latencies;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
