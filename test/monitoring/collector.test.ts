import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { expect, test } from 'vitest';
import { newAccount } from '../caller.ts';
import { startFakeOpenAi } from '../fakes/openai.ts';
import { agentsDir, startMesh } from '../mesh.ts';
import { findCollector, startCollector } from '../programs/collector.ts';

const isFull = process.env.VERIFY === 'full';
const program = isFull ? findCollector() : undefined;

test.skipIf(program === undefined)(
  'an OpenTelemetry collector takes the spans of a run, with the provider of its model and the service of each part',
  async () => {
    await using collector = await startCollector(program ?? '');
    await using database = await testDatabaseUrl();
    await using openAi = await startFakeOpenAi();
    const models = { OPENAI_BASE_URL: openAi.baseUrl, OPENAI_API_KEY: 'sk-test', AGENTS_DIR: agentsDir };
    const env = { ...models, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' };
    await using mesh = await startMesh({ mode: 'separate', databaseUrl: database.url, env });
    const caller = await newAccount(mesh.url);
    await caller.run(await caller.createSession('chat'), 'what only we know');
    const printed = () => collector.lines.join('\n');
    for (const text of [
      /Name +: POST \/run\n/,
      /Name +: agentmesh\.runs\.v1\.RunsService\/Run\n/,
      /Name +: chat openai\/test-model\n/,
      /-> gen_ai\.provider\.name: Str\(openai\)/,
      /-> db\.system\.name: Str\(postgresql\)/,
      /-> service\.name: Str\(agentmesh-gateway\)/,
      /-> service\.name: Str\(agentmesh-runs\)/,
      /-> service\.name: Str\(agentmesh-sessions\)/,
    ])
      await expect.poll(printed).toMatch(text);
    expect(printed()).not.toMatch(/-> gcp\.vertex\.agent|-> gen_ai\.system:|what only we know/);
  },
  600_000,
);
