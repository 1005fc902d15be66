import { fileURLToPath } from 'node:url';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import type { TestProject } from 'vitest/node';
import { startOpenAiFake } from '../fakes/openai.ts';
import { type Mode, startMesh } from '../mesh.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    meshUrl: string;
    /** Control address of the OpenAI fake. */
    openAiUrl: string;
    databaseUrl: string;
  }
}

/** One mesh for all files of a project; the project's name ends in its mode. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using resources = new AsyncDisposableStack();
  const mode = project.name.split(' ').at(-1) as Mode;
  const database = resources.use(await testDatabaseUrl());
  const openAi = resources.use(await startOpenAiFake({ apiKey: 'sk-test' }));
  const env = {
    AGENTS_DIR: fileURLToPath(new URL('../agents', import.meta.url)),
    OPENAI_BASE_URL: `${openAi.url}/v1`,
    OPENAI_API_KEY: 'sk-test',
    RUNS_MODEL_TIMEOUT_SECONDS: '2',
    DEFAULT_SUPERADMIN_EMAIL: 'root@example.com',
    DEFAULT_SUPERADMIN_PASSWORD: 'the superadmin password',
  };
  const mesh = resources.use(await startMesh({ mode, databaseUrl: database.url, env }));
  project.provide('meshUrl', mesh.url);
  project.provide('openAiUrl', openAi.url);
  project.provide('databaseUrl', database.url);
  const opened = resources.move();
  return () => opened.disposeAsync();
}
