import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJobs } from '@agentmesh/lib/jobs';
import { openDatabase } from '@agentmesh/lib/pg';
import { preparedDatabase } from '@agentmesh/lib/service/testing';
import { testNode } from '@agentmesh/lib/rpc/testing';
import { parseSettings } from '@agentmesh/lib/service';
import { createLogger, createMetrics } from '@agentmesh/lib/telemetry';
import { AuthService } from '@agentmesh/proto/auth/v1';
import type { Client } from '@connectrpc/connect';
import { settings } from '../src/config.ts';
import type { Context } from '../src/context.ts';
import { mailTasks } from '../src/jobs/mail-jobs.ts';
import { openMail } from '../src/mail/open-mail.ts';
import { openCommonPasswords } from '../src/passwords/common-passwords.ts';
import { createPasswords, type Passwords } from '../src/passwords/password.ts';
import { createHandlers } from '../src/rpc/index.ts';
import { createFailureLimit } from '../src/sign-ins/failure-limit.ts';
import { createAccessTokens } from '../src/tokens/access-token.ts';
import { auth } from '../src/index.ts';

export const encryptKey = 'a-key-that-only-these-tests-know-0123456789';

/** A low cost, so that tests are fast. `strongerCost` is a cost that a later release might have. */
const testCost = { memoryKib: 64, passes: 1, parallelism: 1 };
export const strongerCost = { memoryKib: 128, passes: 2, parallelism: 1 };

export interface TestAuth extends AsyncDisposable {
  readonly context: Context;
  readonly databaseUrl: string;
  readonly client: Client<typeof AuthService>;
  /** Every line logged so far, at every level. */
  readonly logged: readonly string[];
  /** The stored hash that each password check was called with. */
  readonly verifiedAgainst: readonly (string | undefined)[];
  /** Folder of mail files, for tests without an SMTP server. */
  readonly outbox: string;
  /** The same database with other settings. */
  contextWith(environment: Record<string, string>): Context;
  /** Another process of the service with the same database. */
  replica(): Promise<TestAuth>;
}

/** The service without its process, and calls through a mesh in this process. The database is new without `databaseUrl`. */
export async function openTestAuth(databaseUrl?: string): Promise<TestAuth> {
  await using resources = new AsyncDisposableStack();
  const url = databaseUrl ?? resources.use(await preparedDatabase(auth)).url;
  const logged: string[] = [];
  const log = createLogger({ level: 'trace', name: 'auth', destination: { write: (line) => void logged.push(line) } });
  const migrations = new URL('../migrations/', import.meta.url);
  const db = resources.use(await openDatabase({ service: 'auth', url, poolSize: 8, migrations, jobs: true }, log));
  const metrics = createMetrics({ processMetrics: false });
  const jobs = resources.use(await openJobs({ service: 'auth', db, tasks: mailTasks, log, metrics }));
  const verifiedAgainst: (string | undefined)[] = [];
  const dataDir = await mkdtemp(join(tmpdir(), 'auth-'));
  resources.defer(() => rm(dataDir, { recursive: true, force: true }));
  const base = {
    db,
    jobs,
    log,
    passwords: recordChecks(createPasswords(testCost, await openCommonPasswords()), verifiedAgainst),
    accessTokens: await createAccessTokens([{ id: undefined, secret: encryptKey }], 120),
    failures: createFailureLimit(),
    accountChanged: () => {},
    wakeOutbox: () => {},
  };
  const contextWith = (environment: Record<string, string>): Context => {
    const config = parseSettings(settings, { ENCRYPT_KEY: encryptKey, ...environment });
    return { ...base, config, mail: openMail(config, dataDir) };
  };
  const context = contextWith({});
  const opened = resources.move();
  return {
    context,
    databaseUrl: url,
    contextWith,
    replica: () => openTestAuth(url),
    client: clientOf(context),
    logged,
    verifiedAgainst,
    outbox: join(dataDir, 'outbox'),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Calls the RPCs of `context` as other services do. */
export function clientOf(context: Context): Client<typeof AuthService> {
  const mesh = testNode({ urls: {}, log: context.log, metrics: createMetrics() });
  mesh.serve(AuthService, createHandlers(context));
  return mesh.client(AuthService);
}

function recordChecks(inner: Passwords, verifiedAgainst: (string | undefined)[]): Passwords {
  return {
    hash: (password, options) => inner.hash(password, options),
    verify: (password, stored, signal) => {
      verifiedAgainst.push(stored);
      return inner.verify(password, stored, signal);
    },
    checkNew: (password, address) => inner.checkNew(password, address),
  };
}

/** A valid sign-up of `email`. */
export function signUpOf(email: string) {
  return { email, password: 'correct horse battery', firstName: 'Ada', lastName: 'Lovelace' };
}
