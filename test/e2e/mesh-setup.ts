import { once } from 'node:events';
import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { freePorts } from '@agentmesh/lib/rpc/testing';
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
    /** Address that answers when the mesh is ready; the first request starts it. */
    meshStart: string;
  }
}

/**
 * Makes one mesh for all files of a project. It starts with the first of them: the meshes of other projects would be idle until then, which takes
 * processor time from the tests. The mode is the last word of the project's name; `nats` means separate processes whose bus is a NATS server, each
 * with the permissions of its own user in deploy/nats. The processes of `separate` have a database login for each service, with its rights on the bus.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using resources = new AsyncDisposableStack();
  const variant = project.name.split(' ').at(-1) as Variant;
  const folder = resources.adopt(await mkdtemp(join(tmpdir(), 'e2e-')), (path) => rm(path, { recursive: true }));
  await chmod(folder, 0o711);
  const apps = join(folder, 'agents');
  await cp(agentsDir, apps, { recursive: true });
  const [port = 0] = await freePorts(1);
  // The mesh of another project, which starts earlier, must not take the port.
  const kept = createServer().listen(port, '127.0.0.1');
  await once(kept, 'listening');
  const env = { PORT: String(port), DATA_DIR: join(folder, 'data'), AGENTS_DIR: apps };
  let starting: Promise<unknown> | undefined;
  const started = resources.use(new AsyncDisposableStack());
  const release = async () => {
    if (kept.listening) await once(kept.close(), 'close');
  };
  const start = () => (starting ??= release().then(() => startVariant(variant, { env, resources: started })));
  const server = createServer((_, response) => {
    start().then(
      () => response.writeHead(204).end(),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.stack : String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  resources.defer(async () => {
    await starting?.catch(() => undefined);
    await release();
    server.closeAllConnections();
    await once(server.close(), 'close');
  });
  project.provide('meshUrl', `http://127.0.0.1:${port}`);
  project.provide('mode', modeOf(variant));
  project.provide('dataDir', env.DATA_DIR);
  project.provide('agentsDir', apps);
  project.provide('meshStart', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const opened = resources.move();
  return () => opened.disposeAsync();
}

type Variant = Mode | 'nats';

const modeOf = (variant: Variant): Mode => (variant === 'nats' ? 'separate' : variant);

const settings = {
  ADK_WEB_UI: 'true',
  RUNS_MCP_ALLOW: '127.0.0.1/32',
  RUNS_WEBHOOK_ALLOW: '127.0.0.1/32',
  SCHEDULES_MIN_SECONDS: '1',
  DEFAULT_SUPERADMIN_EMAIL: 'root@example.com',
  DEFAULT_SUPERADMIN_PASSWORD: 'the superadmin password',
};

interface Start {
  readonly env: Record<string, string>;
  /** Own what is started. */
  readonly resources: AsyncDisposableStack;
}

async function startVariant(variant: Variant, { env, resources }: Start): Promise<void> {
  const database = resources.use(await testDatabaseUrl());
  const environments = {
    all: () => undefined,
    separate: () => prepareLogins(database.url),
    nats: () => natsEnvironments(resources),
  };
  const ownEnv = await environments[variant]();
  const options = { databaseUrl: database.url, env: { ...settings, ...env }, ...(ownEnv && { ownEnv }) };
  resources.use(await startMesh({ mode: modeOf(variant), ...options }));
}
