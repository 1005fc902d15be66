import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MeshNode } from '../../rpc/index.ts';
import type { Service } from '../service.ts';
import { startProcess } from '../start-process.ts';
import { preparedDatabase } from './prepared-database.ts';

/** A service without the others. */
export interface ServiceAlone extends AsyncDisposable {
  readonly mesh: Pick<MeshNode, 'as'>;
}

interface AloneOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Services that a test puts in the place of those that it calls. Without one, its calls to them fail. */
  readonly beside?: readonly Service[];
}

/** Starts a service alone, with a new database of a real PostgreSQL and a new DATA_DIR. */
export async function startAlone(
  service: Service,
  { env = {}, beside = [] }: AloneOptions = {},
): Promise<ServiceAlone> {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await preparedDatabase(service));
  const dataDir = await mkdtemp(join(tmpdir(), 'alone-'));
  resources.defer(() => rm(dataDir, { recursive: true, force: true }));
  const services = [...beside, service];
  const process = resources.use(
    await startProcess({
      services,
      words: services.map(({ name }) => name),
      env: { DATABASE_URL: url, DATA_DIR: dataDir, OPS_PORT: '0', LOG_LEVEL: 'silent', ...env },
    }),
  );
  const opened = resources.move();
  return { mesh: process.mesh, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
