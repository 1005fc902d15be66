import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import type { TestProject } from 'vitest/node';
import { agentsDir, type Mode, startMesh } from '../mesh.ts';
import { natsEnvironments } from '../nats.ts';
import { prepareLogins } from '../prepare-logins.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    meshUrl: string;
    mode: Mode;
    dataDir: string;
    /** `AGENTS_DIR`: a copy of the apps of tests, to which tests may add their own. */
    agentsDir: string;
  }
}

/**
 * Starts one mesh for all files of a project. The mode is the last word of the project's name; `nats` means separate processes whose bus is a NATS server, each
 * with the permissions of its own user in deploy/nats. The processes of `separate` have a database login for each service, with its rights on the bus.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using resources = new AsyncDisposableStack();
  const variant = project.name.split(' ').at(-1) as Mode | 'nats';
  const mode = variant === 'nats' ? 'separate' : variant;
  const database = resources.use(await testDatabaseUrl());
  const environments = {
    all: () => undefined,
    separate: () => prepareLogins(database.url),
    nats: () => natsEnvironments(resources),
  };
  const ownEnv = await environments[variant]();
  const apps = resources.adopt(await mkdtemp(join(tmpdir(), 'agents-')), (path) => rm(path, { recursive: true }));
  await cp(agentsDir, apps, { recursive: true });
  const env = {
    AGENTS_DIR: apps,
    ADK_WEB_UI: 'true',
    RUNS_MCP_ALLOW: '127.0.0.1/32',
    RUNS_WEBHOOK_ALLOW: '127.0.0.1/32',
    DEFAULT_SUPERADMIN_EMAIL: 'root@example.com',
    DEFAULT_SUPERADMIN_PASSWORD: 'the superadmin password',
  };
  const mesh = resources.use(await startMesh({ mode, databaseUrl: database.url, env, ...(ownEnv && { ownEnv }) }));
  project.provide('meshUrl', mesh.url);
  project.provide('mode', mode);
  project.provide('dataDir', mesh.dataDir);
  project.provide('agentsDir', apps);
  const opened = resources.move();
  return () => opened.disposeAsync();
}
