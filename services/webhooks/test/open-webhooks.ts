import { type Database, openDatabase } from '@agentmesh/lib/pg';
import { preparedDatabase } from '@agentmesh/lib/service/testing';
import { asDeclared } from '@agentmesh/lib/rpc/testing';
import { type MeshProcess, startProcess } from '@agentmesh/lib/service';
import { createLogger } from '@agentmesh/lib/telemetry';
import { NotificationsService } from '@agentmesh/proto/webhooks/v1/notifications';
import type { Client } from '@connectrpc/connect';
import { webhooks } from '../src/index.ts';

export interface OpenWebhooks extends AsyncDisposable {
  readonly process: MeshProcess;
  /** A connection of the test to the service's database. */
  readonly db: Database;
}

/** Starts the service alone, with a database of its own. */
export async function openWebhooks(env: Readonly<Record<string, string>> = {}): Promise<OpenWebhooks> {
  const resources = new AsyncDisposableStack();
  const { url } = resources.use(await preparedDatabase(webhooks));
  const settings = { DATABASE_URL: url, OPS_PORT: '0', LOG_LEVEL: 'silent', ...env };
  const process = resources.use(await startProcess({ services: [webhooks], words: ['webhooks'], env: settings }));
  const migrations = new URL('../migrations/', import.meta.url);
  const log = createLogger({ level: 'silent', name: 'test' });
  const db = resources.use(await openDatabase({ service: 'webhooks', url, poolSize: 3, migrations }, log));
  return { process, db, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Calls the service's methods for notifications of mail providers. */
export function notificationsOf({ process }: OpenWebhooks): Client<typeof NotificationsService> {
  return asDeclared(process.mesh).client(NotificationsService);
}
