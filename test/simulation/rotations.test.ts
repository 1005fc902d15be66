import { randomBytes } from 'node:crypto';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { makeSecrets } from '@agentmesh/lib/service';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, newAccount } from '../caller.ts';
import { mixedLoad } from '../faults/mixed-load.ts';
import { encryptKey } from '../mesh.ts';
import { loginsOf } from '../prepare-logins.ts';
import { runMain } from '../start/run-main.ts';
import { type Rollout, startRollout } from './upgrade/rollout.ts';

const isFull = process.env.VERIFY === 'full';
const consuming = ['artifacts', 'keys', 'memory', 'runs', 'sessions', 'webhooks'];
const size = isFull
  ? {
      words: ['auth', ...consuming, 'transcription'],
      doubled: ['auth', ...consuming, 'gateway'],
      clients: 8,
      requests: 2_000,
      pauseMs: 0,
    }
  : {
      words: ['auth', 'keys', 'runs', 'sessions'],
      doubled: ['auth', 'keys', 'gateway'],
      clients: 3,
      requests: 60,
      pauseMs: 50,
    };
/** Callers use a new process after two seconds: then it works beside a former one, as it does for `minReadySeconds` in a cluster. */
const betweenMs = 3_000;
const without = ['artifacts', 'memory'].filter((word) => !size.words.includes(word));
const everything = ['auth', ...consuming, 'transcription', 'gateway'];
const signers = ['auth', 'gateway'];
const encrypters = ['auth', 'keys', 'gateway'];

const former = makeSecrets(everything);
const next = makeSecrets(['runs']);
const nextKey = randomBytes(32).toString('base64');
const signingKey = `2026a:${randomBytes(32).toString('base64')}`;

/** Settings with which processes are started now. */
const given = {
  identities: former.MESH_IDENTITIES ?? '',
  runs: former.RUNS_MESH_IDENTITY ?? '',
  // Tokens that ENCRYPT_KEY signs end with it, so the small size begins where that rotation ends.
  signing: isFull ? 'ENCRYPT_KEY' : signingKey,
  encrypt: encryptKey,
  others: '',
  sessionsUrl: '',
};

function envOf(word: string): Record<string, string> {
  const isEncrypter = encrypters.includes(word);
  return {
    MESH_IDENTITIES: given.identities,
    MESH_IDENTITY: word === 'runs' ? given.runs : (former[`${word.toUpperCase()}_MESH_IDENTITY`] ?? ''),
    ...(signers.includes(word) && { TOKEN_SIGNING_KEYS: given.signing }),
    ...(isEncrypter && { ENCRYPT_KEY: given.encrypt }),
    ...(word === 'keys' && { ENCRYPT_KEY_PREVIOUS: given.others }),
    ...(word === 'sessions' && given.sessionsUrl !== '' && { DATABASE_URL: given.sessionsUrl }),
  };
}

const resources = new AsyncDisposableStack();
let databaseUrl: string;
let rollout: Rollout;
let caller: Caller;
let keyPath: string;

beforeAll(async () => {
  databaseUrl = resources.use(await testDatabaseUrl()).url;
  rollout = resources.use(await startRollout({ ...size, databaseUrl, next: 'none', envOf }));
  await use(rollout.caller);
}, 300_000);
afterAll(() => resources.disposeAsync());

interface Step {
  readonly name: string;
  /** Services whose processes are started again; none: `act` does everything. */
  readonly words: readonly string[];
  readonly act: () => Promise<void> | void;
  /** Done before the requests begin. */
  readonly before?: () => Promise<void>;
  readonly isSmall?: boolean;
}

const reencrypt = async (): Promise<void> => {
  const env = { ENCRYPT_KEY: given.encrypt, ENCRYPT_KEY_PREVIOUS: given.others, DATABASE_URL: databaseUrl };
  const { code, output } = await runMain(['keys', '--reencrypt'], env);
  if (code !== 0) throw new Error(output);
};

const steps: readonly Step[] = [
  {
    name: 'identity of runs: its new key is known',
    words: everything,
    act: () => void (given.identities = `${former.MESH_IDENTITIES},${next.MESH_IDENTITIES}`),
  },
  {
    name: 'identity of runs: it is used',
    words: ['runs'],
    act: () => void (given.runs = next.RUNS_MESH_IDENTITY ?? ''),
  },
  {
    name: 'identity of runs: the former key is gone',
    words: everything,
    act: () => void (given.identities = withoutFormer()),
  },
  {
    name: 'signing: the new key is known',
    words: signers,
    act: () => void (given.signing = `ENCRYPT_KEY,${signingKey}`),
  },
  { name: 'signing: it signs', words: signers, act: () => void (given.signing = `${signingKey},ENCRYPT_KEY`) },
  {
    name: 'signing: the former key is gone',
    words: signers,
    // Users who have signed in since then go on.
    before: async () => use(await newAccount('', rollout.newCaller())),
    act: () => void (given.signing = signingKey),
  },
  {
    name: 'ENCRYPT_KEY: the new key opens',
    words: ['keys'],
    act: () => void (given.others = nextKey),
    isSmall: true,
  },
  {
    name: 'ENCRYPT_KEY: it encrypts',
    words: encrypters,
    act: () => void Object.assign(given, { encrypt: nextKey, others: encryptKey }),
    isSmall: true,
  },
  { name: 'ENCRYPT_KEY: what is stored is encrypted again', words: [], act: reencrypt, isSmall: true },
  {
    name: 'ENCRYPT_KEY: the former key is gone',
    words: ['keys'],
    act: () => void (given.others = ''),
    isSmall: true,
  },
  {
    name: 'database login of sessions: the new one may',
    words: [],
    act: async () => {
      given.sessionsUrl = loginsOf(databaseUrl)('sessions').DATABASE_URL;
      await rollout.migrate('this', ['sessions']);
    },
  },
  { name: 'database login of sessions: it is used', words: ['sessions'], act: () => undefined },
  { name: 'database login of sessions: the former one is gone', words: [], act: dropFormerLogin },
];

function withoutFormer(): string {
  const shown = (former.MESH_IDENTITIES ?? '').split(',').filter((one) => !one.startsWith('runs:'));
  return [...shown, next.MESH_IDENTITIES].join(',');
}

/** The steps are those of docs/changing-keys.md. */
async function dropFormerLogin(): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const text = `select rolname from pg_roles where rolname like 'agentmesh\\_sessions\\_login%' and rolname <> $1
      and has_database_privilege(oid, current_database(), 'connect')`;
    const { rows } = await client.query<{ rolname: string }>(text, [new URL(given.sessionsUrl).username]);
    expect(rows).toHaveLength(1);
    for (const { rolname } of rows) await client.query(`drop owned by ${rolname}; drop role ${rolname}`);
  } finally {
    await client.end();
  }
}

/** Requests are those of this account from now on. */
async function use(account: Caller): Promise<void> {
  caller = account;
  const key = { key_name: 'Work', provider: 'openai', api_key_value: 'sk-a-secret-of-some-length' };
  const { body } = await caller.request<{ api_key_id: string }>('POST', '/api/saved-api-keys', key);
  keyPath = `/api/saved-api-keys/${body.api_key_id}`;
}

/** Changes a saved key, which encrypts it, and reads it, until `isOver`. */
async function useKeys(isOver: () => boolean): Promise<string[]> {
  const failed: string[] = [];
  for (let n = 0; !isOver(); n += 1) {
    const changed = await caller.request('PATCH', keyPath, { api_key_value: `sk-a-secret-of-some-length-${n}` });
    const read = await caller.request<{ status: string }>('GET', keyPath);
    if (changed.status !== 200 || read.body.status !== 'active')
      failed.push(`${changed.status} ${JSON.stringify([changed.body, read.body])}`);
  }
  return failed;
}

describe('each step of a rotation, as docs/changing-keys.md has them', () => {
  test.each(steps.filter(({ isSmall }) => isFull || isSmall === true))(
    'fails no request: $name',
    { timeout: 600_000 },
    async ({ name, words, act, before }) => {
      await before?.();
      let isDone = false;
      const step = async (): Promise<void> => {
        await act();
        const replaced = words.filter((word) => size.doubled.includes(word));
        if (replaced.length > 0) await rollout.replace('this', replaced, betweenMs);
      };
      const isOver = (count: number): boolean => isDone && count >= size.requests;
      const load = mixedLoad({ caller, ...size, without, isOver });
      const [{ failed, count }, failedKeys] = await Promise.all([
        load,
        useKeys(() => isDone),
        step().finally(() => (isDone = true)),
      ]);
      process.stdout.write(`${name} | ${failed.length + failedKeys.length} of ${count} |\n`);
      expect([...failed, ...failedKeys]).toEqual([]);
    },
  );
});
