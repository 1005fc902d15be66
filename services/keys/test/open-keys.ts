import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { unserved } from '@agentmesh/lib/rpc/testing';
import { defineService, startProcess } from '@agentmesh/lib/service';
import { KeysService } from '@agentmesh/proto/keys/v1';
import { type FindCredentialRequestRequest, SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import { keys } from '../src/index.ts';

export interface TestKeys extends AsyncDisposable {
  readonly client: Client<typeof KeysService>;
  /** Look-ups that the sessions service received. */
  readonly asked: Pick<FindCredentialRequestRequest, 'accountId' | 'userId' | 'nonce'>[];
}

/** Starts this service alone, beside sessions that know of one request for a credential. */
export async function openKeys(
  env: Record<string, string>,
  known?: { accountId: string; userId: string; nonce: string },
): Promise<TestKeys> {
  await using resources = new AsyncDisposableStack();
  // The service has no database; the bus of its process has.
  const { url } = resources.use(await testDatabaseUrl());
  const asked: TestKeys['asked'] = [];
  const sessions = defineService({
    name: 'sessions',
    settings: {},
    async start({ mesh }) {
      mesh.serve(SessionsService, {
        ...unserved(SessionsService),
        findCredentialRequest: ({ accountId, userId, nonce }) => {
          asked.push({ accountId, userId, nonce });
          return { found: JSON.stringify({ accountId, userId, nonce }) === JSON.stringify(known) };
        },
      });
      return {};
    },
  });
  const own = { DATABASE_URL: url, OPS_PORT: '0', LOG_LEVEL: 'silent', ...env };
  const process = resources.use(
    await startProcess({ services: [sessions, keys], words: ['sessions', 'keys'], env: own }),
  );
  const opened = resources.move();
  return { client: process.mesh.client(KeysService), asked, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
