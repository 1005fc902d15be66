import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CreateScheduleRequest, SchedulesService } from '@agentmesh/proto/webhooks/v1/schedules';
import type { HandlerContext } from '@connectrpc/connect';
import pg from 'pg';
import { type Database, openDatabase } from '../../pg/index.ts';
import { testDatabaseUrl } from '../../pg/testing/index.ts';
import { createLogger } from '../../telemetry/index.ts';
import { type Commit, keyedHeaders, once, onceAtCommit } from '../index.ts';

const table = `create table idempotency_keys (account_id uuid not null, key_sha256 bytea not null, request_sha256 bytea not null,
    answer bytea, created_at timestamptz not null default now(), primary key (account_id, key_sha256));
  create table idempotency_bytes (account_id uuid not null, hour timestamptz not null, bytes bigint not null, primary key (account_id, hour));
  create table notes (account_id uuid not null, text text not null unique);`;
const insert = { text: 'insert into notes (account_id, text) values ($1, $2)' };
const select = { text: 'select text from notes where account_id = $1' };

/** Which wrapper makes the handler idempotent. */
export type Wrapper = 'once' | 'onceAtCommit';

export interface Sent {
  readonly accountId: string;
  readonly key?: string;
  /** The requested text. */
  readonly text?: string;
  /** Called after the effect, before it is committed. */
  readonly afterEffect?: () => Promise<void>;
  /** Aborted: the caller has left. */
  readonly signal?: AbortSignal;
}

/** A handler that stores a note under a random text and answers it. */
export class KeyedNotes implements AsyncDisposable {
  readonly db: Database;
  readonly #url: string;
  readonly #resources: AsyncDisposableStack;

  private constructor({ db, url }: { readonly db: Database; readonly url: string }, resources: AsyncDisposableStack) {
    this.db = db;
    this.#url = url;
    this.#resources = resources;
  }

  /** Creates a database in a real PostgreSQL. */
  static async open(): Promise<KeyedNotes> {
    await using resources = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'once-'));
    resources.defer(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, '0001-create.sql'), table);
    const { url } = resources.use(await testDatabaseUrl());
    const log = createLogger({ level: 'silent', name: 'notes' });
    const migrations = pathToFileURL(`${folder}/`);
    const db = resources.use(await openDatabase({ service: 'notes', url, poolSize: 16, migrations }, log));
    return new KeyedNotes({ db, url }, resources.move());
  }

  async send(wrapper: Wrapper, { accountId, key, text = 'text', afterEffect = async () => undefined, signal }: Sent) {
    const method = SchedulesService.method.createSchedule;
    const note = (wanted: string) => `${wanted} ${randomUUID()}`;
    const inDatabase = ({ db }: { readonly db: Database }) => {
      return async ({ cron }: CreateScheduleRequest) => {
        const id = note(cron);
        await db.transaction((tx) => tx.query(insert, [accountId, id]));
        await afterEffect();
        return { schedule: { id } };
      };
    };
    const atCommit = ({ commit }: { readonly commit: Commit<{ schedule: { id: string } }> }) => {
      return async ({ cron }: CreateScheduleRequest) => {
        const answer = { schedule: { id: note(cron) } };
        await commit(
          async (tx) => {
            await tx.query(insert, [accountId, answer.schedule.id]);
            await afterEffect();
          },
          () => answer,
        );
        return answer;
      };
    };
    const handler =
      wrapper === 'once' ? once({ db: this.db }, method, inDatabase) : onceAtCommit({ db: this.db }, method, atCommit);
    const headers = key === undefined ? {} : keyedHeaders({ key, route: 'POST /notes', content: [text] });
    const call = {
      requestHeader: new Headers(headers),
      signal: signal ?? new AbortController().signal,
      timeoutMs: () => undefined,
    };
    const answer = await handler({ accountId, cron: text } as CreateScheduleRequest, call as unknown as HandlerContext);
    return { id: answer.schedule?.id ?? '', already: answer.already === true };
  }

  async notesOf(accountId: string): Promise<string[]> {
    return (await this.db.query<{ text: string }>(select, [accountId])).map(({ text }) => text);
  }

  /** Ends the connections whose transactions wait for their next statement. The login of the tests may do that, the role of a service may not. */
  async endTransactions(): Promise<void> {
    const client = new pg.Client(this.#url);
    await client.connect();
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'`);
    await client.end();
  }

  /** Makes all keys of an account as old as if they had been used so many hours earlier. */
  async age(accountId: string, hours: number): Promise<void> {
    const keys = `update idempotency_keys set created_at = created_at - make_interval(hours => $2) where account_id = $1`;
    const bytes = `update idempotency_bytes set hour = hour - make_interval(hours => $2) where account_id = $1`;
    for (const text of [keys, bytes]) await this.db.query({ text }, [accountId, hours]);
  }

  /** Counts so many bytes of answers as kept in this hour. */
  async fill(accountId: string, bytes: number): Promise<void> {
    const text = `insert into idempotency_bytes values ($1, date_trunc('hour', now()), $2)`;
    await this.db.query({ text }, [accountId, bytes]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}
