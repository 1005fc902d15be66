import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { Caller, newAccount, type SessionJson } from '../caller.ts';

/** Requests that were sent while the bus was disturbed. */
export interface Load {
  /** Runs whose end is to be acted on, by the path of their webhook. */
  readonly runs: string[];
  /** Paths of the receipts of deleted accounts. */
  readonly receipts: string[];
  /** Milliseconds from each revoked token to its first refusal. */
  readonly revocations: number[];
  /** Milliseconds of each run. */
  readonly runMs: number[];
  /** Answers that were no success. */
  readonly failures: string[];
}

const pauseMs = { runs: 250, deletions: 1_200, revocations: 700 };

/**
 * Prepares the database so that the ends of runs can be counted. Every run is awaited, as if a service had started it that acts on its end. Every end that a
 * webhook of a run tells of becomes a row of `acted`.
 */
export const observation = `
  create function sessions.await_run() returns trigger language plpgsql as
    'begin new.awaited := true; return new; end';
  create trigger await_run before insert on sessions.runs for each row execute function sessions.await_run();
  create table public.acted (place bigint generated always as identity, log text not null, status text not null);
  create function public.note_acted() returns trigger language plpgsql security definer as
    'begin insert into public.acted (log, status) values (substr(new.url, 22), new.told); return null; end';
  create trigger note_acted after update of ended_at on webhooks.run_webhooks for each row execute function public.note_acted();`;

/** A webhook of a run that begins. The look for an end that nobody has told is put off, so that messages alone tell it. */
const insertWebhook = `insert into webhooks.run_webhooks (account_id, run_sha256, app_name, user_id, session_id, invocation_id, url, secret_id, secret,
    secret_fingerprint, created_at, check_at)
  values ($1, $2, 'echo', 'u1', $3, $4, 'https://runs.example/' || $5, gen_random_uuid(), '', '', now(), now() + interval '1 day')`;

/** Runs agents in some sessions, deletes accounts and revokes tokens until `signal` aborts. */
export async function loadMesh(options: {
  url: string;
  pool: pg.Pool;
  sessions: number;
  signal: AbortSignal;
}): Promise<Load> {
  const load: Load = { runs: [], receipts: [], revocations: [], runMs: [], failures: [] };
  const { url, signal } = options;
  const account = await newAccount(url);
  const sessions = await Promise.all(Array.from({ length: options.sessions }, () => account.createSession()));
  const again = async (ms: number, work: () => Promise<void>): Promise<void> => {
    while (!signal.aborted) {
      await work().catch((error: unknown) => void load.failures.push(String(error)));
      await sleep(ms);
    }
  };
  const counts = sessions.map(() => 0);
  await Promise.all([
    ...sessions.map((session, place) =>
      again(pauseMs.runs, () =>
        runAwaited({ ...options, account, load }, session, `${place}/${(counts[place] = (counts[place] ?? 0) + 1)}`),
      ),
    ),
    again(pauseMs.deletions, () => deleteAccount(url, load)),
    again(pauseMs.revocations, () => revokeToken(account, load)),
  ]);
  return load;
}

interface Work {
  readonly account: Caller;
  readonly pool: pg.Pool;
  readonly load: Load;
}

async function runAwaited({ account, pool, load }: Work, session: SessionJson, log: string): Promise<void> {
  const invocationId = `e-${randomUUID()}`;
  await pool.query(insertWebhook, [accountIdOf(account), randomBytes(32), session.id, invocationId, log]);
  load.runs.push(log);
  const started = performance.now();
  const { status } = await account.run(session, log, { invocationId });
  load.runMs.push(performance.now() - started);
  if (status !== 200) load.failures.push(`run ${log}: ${status}`);
}

async function deleteAccount(url: string, load: Load): Promise<void> {
  const caller = await newAccount(url);
  await caller.run(await caller.createSession(), 'soon gone');
  const { body } = await caller.request<{ user_id: number }>('GET', '/api/users/me');
  const answer = await caller.fetch('DELETE', `/api/users/${body.user_id}`);
  if (answer.status === 204) load.receipts.push(answer.headers.get('location') ?? '');
  else load.failures.push(`deletion: ${answer.status}`);
}

async function revokeToken(account: Caller, load: Load): Promise<void> {
  const made = { name: 'short', scopes: ['sessions:read'] };
  const { body } = await account.request<{ id: string; token: string }>('POST', '/api/auth/tokens', made);
  const program = new Caller(account.url, body.token);
  const isServed = async (): Promise<boolean> =>
    (await program.request('GET', '/apps/echo/users/u1/sessions')).status === 200;
  if (!(await isServed())) load.failures.push('a new token was refused');
  const { status } = await account.request('DELETE', `/api/auth/tokens/${body.id}`);
  if (status !== 200) load.failures.push(`revocation: ${status}`);
  const started = performance.now();
  while (await isServed()) await sleep(20);
  load.revocations.push(performance.now() - started);
}

function accountIdOf({ token = '' }: Caller): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { uid: string };
  return claims.uid;
}
