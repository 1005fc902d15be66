import { createPgBus } from '@agentmesh/lib/bus';
import { fakeDeletions, preparedDatabase } from '@agentmesh/lib/service/testing';
import { openDatabase } from '@agentmesh/lib/pg';
import type { MeshNode } from '@agentmesh/lib/rpc';
import { asDeclared, unserved } from '@agentmesh/lib/rpc/testing';
import { defineService, startProcess } from '@agentmesh/lib/service';
import type { ReportErasureRequest } from '@agentmesh/proto/auth/v1';
import { KeysService } from '@agentmesh/proto/keys/v1';
import { ModelUseService } from '@agentmesh/proto/keys/v1/model_use';
import { IntegrationsService } from '@agentmesh/proto/keys/v1/integrations';
import { SavedKeysService } from '@agentmesh/proto/keys/v1/saved_keys';
import { SigningService } from '@agentmesh/proto/keys/v1/signing';
import { ToolKeysService } from '@agentmesh/proto/keys/v1/tool_keys';
import { type FindCredentialRequestRequest, SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import { keys } from '../src/index.ts';

export const encryptKey = 'an encrypt key that only tests of this service use';

export interface TestKeys extends AsyncDisposable {
  readonly client: Client<typeof KeysService>;
  readonly savedKeys: Client<typeof SavedKeysService>;
  readonly toolKeys: Client<typeof ToolKeysService>;
  readonly signing: Client<typeof SigningService>;
  readonly modelUse: Client<typeof ModelUseService>;
  readonly integrations: Client<typeof IntegrationsService>;
  /** The mesh as a service calls it. */
  readonly as: MeshNode['as'];
  /** Look-ups that the sessions service received. */
  readonly asked: Pick<FindCredentialRequestRequest, 'accountId' | 'userId' | 'nonce'>[];
  readonly databaseUrl: string;
  /** Runs SQL in the schema of the service. */
  rows(statement: string): Promise<Record<string, unknown>[]>;
  settle(): Promise<void>;
  /** Announces that an account was deleted, as auth does. Resolves with the answer of the service. */
  announceDeletion(accountId: string): Promise<ReportErasureRequest>;
}

/** Starts this service alone, beside sessions that know of one request for a credential. DATABASE_URL in `env` names a database to go on with. */
export async function openKeys(
  env: Record<string, string> = {},
  known?: { accountId: string; userId: string; nonce: string },
): Promise<TestKeys> {
  await using resources = new AsyncDisposableStack();
  const url = env['DATABASE_URL'] ?? resources.use(await preparedDatabase(keys)).url;
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
  const deletions = fakeDeletions();
  const own = { DATABASE_URL: url, OPS_PORT: '0', LOG_LEVEL: 'silent', ENCRYPT_KEY: encryptKey, ...env };
  const process = resources.use(
    await startProcess({
      services: [deletions.service, sessions, keys],
      words: ['auth', 'sessions', 'keys'],
      env: own,
    }),
  );
  const migrations = new URL('../migrations/', import.meta.url);
  const sql = resources.use(await openDatabase({ service: 'keys', url, poolSize: 3, migrations }, process.log));
  const bus = resources.use(await createPgBus({ url, log: process.log }));
  const opened = resources.move();
  return {
    client: asDeclared(process.mesh).client(KeysService),
    savedKeys: asDeclared(process.mesh).client(SavedKeysService),
    toolKeys: asDeclared(process.mesh).client(ToolKeysService),
    signing: asDeclared(process.mesh).client(SigningService),
    modelUse: asDeclared(process.mesh).client(ModelUseService),
    integrations: asDeclared(process.mesh).client(IntegrationsService),
    as: (caller) => process.mesh.as(caller),
    asked,
    databaseUrl: url,
    rows: (statement) => sql.query({ text: statement }),
    settle: () => process.settle(),
    announceDeletion: (accountId) => deletions.announce(bus, accountId),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
