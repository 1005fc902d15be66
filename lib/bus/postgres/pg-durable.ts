import type pg from 'pg';
import type { DurableName } from '../driver/index.ts';
import { execute } from './pg-stream.ts';

/** A row of bus.messages or bus.dead_letters. */
export interface MessageRow {
  readonly seq: bigint;
  readonly id: string;
  readonly sender: string;
  readonly traceparent: string | null;
  readonly payload: Buffer;
}

/** Acknowledged messages: all up to `position` except those of `open`, which says how often each of its messages was delivered. */
export interface Progress {
  readonly position: bigint;
  readonly open: Readonly<Record<string, number>>;
  /** The server's timeline when this process became the holder. */
  readonly timeline: string;
}

/** Tells whether anything waits for a consumer. The statement that keeps it the holder finds that, too. */
export interface Saved {
  readonly hasMore: boolean;
  readonly isReplaying: boolean;
}

const LEASE_SECONDS = 6;

/** Another one after a standby was promoted, which may have lost messages and given their numbers to others. */
const timeline = 'left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)';

const CLAIM = {
  name: 'claim-durable',
  text: `update bus.durables set holder = $3, lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where subject = $1 and durable = $2 and (holder = $3 or lease_until < now()) returning position, open, ${timeline} as timeline`,
};

const SAVE = {
  name: 'save-durable',
  text: `update bus.durables set position = $4, open = $5, lease_until = now() + make_interval(secs => $6)
    where subject = $1 and durable = $2 and holder = $3 and ${timeline} = $7 returning
      exists (select from bus.messages where subject = $1 and seq > $4) as "hasMore",
      exists (select from bus.dead_letters where subject = $1 and durable = $2 and replay) as "isReplaying"`,
};

const columns = 'seq, id, sender, traceparent, payload';

const READ = {
  name: 'read-messages',
  text: `select ${columns} from bus.messages where subject = $1 and seq > $2 order by seq limit $3`,
};

const READ_OPEN = {
  name: 'read-open-messages',
  text: `select ${columns} from bus.messages where subject = $1 and seq = any($2::bigint[]) order by seq`,
};

const READ_REPLAYED = {
  name: 'read-replayed',
  text: `select ${columns} from bus.dead_letters where subject = $1 and durable = $2 and replay order by seq limit $3`,
};

const DROP_REPLAYED = {
  name: 'drop-replayed',
  text: 'delete from bus.dead_letters where subject = $1 and durable = $2 and seq = $3 and replay',
};

const BURY = {
  name: 'bury-message',
  text: `insert into bus.dead_letters (subject, durable, seq, id, sender, traceparent, payload, reason)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (subject, durable, seq) do update set reason = excluded.reason, replay = false`,
};

const REPLAY = {
  name: 'replay-dead-letters',
  text: `update bus.dead_letters set replay = true where subject = $1 and durable = $2 and not replay returning 1 as found`,
};

const COUNT_DEAD = {
  name: 'count-dead-letters',
  text: 'select count(*)::int as count from bus.dead_letters where subject = $1 and durable = $2 and not replay',
};

const TRIM = { name: 'trim-messages', text: 'select bus.trim($1)' };

/** The statements of one durable consumer. All of them throw `unavailable` when PostgreSQL does not answer. */
export class PgDurable {
  readonly #pool: pg.Pool;
  readonly #name: readonly [string, string];
  readonly #holder: string;

  constructor(pool: pg.Pool, { subject, durable }: DurableName, holder: string) {
    this.#pool = pool;
    this.#name = [subject, durable];
    this.#holder = holder;
  }

  /** Makes this process the holder. Undefined while another one is, or while there is no such durable consumer yet. */
  async claim(): Promise<Progress | undefined> {
    type Row = { position: bigint; open: string; timeline: string };
    const [row] = await execute<Row>(this.#pool, CLAIM, [...this.#name, this.#holder]);
    if (row === undefined) return undefined;
    return { ...row, open: JSON.parse(row.open) as Progress['open'] };
  }

  /** Stores what is acknowledged and stays the holder, unless `release` is set. Undefined when another process has become the holder, or a standby was promoted. */
  async save({ position, open, timeline }: Progress, { release = false } = {}): Promise<Saved | undefined> {
    const values = [
      ...this.#name,
      this.#holder,
      position,
      JSON.stringify(open),
      release ? -1 : LEASE_SECONDS,
      timeline,
    ];
    const [saved] = await execute<{ hasMore: boolean; isReplaying: boolean }>(this.#pool, SAVE, values);
    return saved;
  }

  read(after: bigint, limit: number): Promise<MessageRow[]> {
    return execute<MessageRow>(this.#pool, READ, [this.#name[0], after, limit]);
  }

  readOpen(seqs: readonly string[]): Promise<MessageRow[]> {
    return execute<MessageRow>(this.#pool, READ_OPEN, [this.#name[0], seqs]);
  }

  /** Dead letters that are to be delivered again. */
  readReplayed(limit: number): Promise<MessageRow[]> {
    return execute<MessageRow>(this.#pool, READ_REPLAYED, [...this.#name, limit]);
  }

  async dropReplayed(seq: bigint): Promise<void> {
    await execute(this.#pool, DROP_REPLAYED, [...this.#name, seq]);
  }

  async bury({ seq, id, sender, traceparent, payload }: MessageRow, reason: string): Promise<void> {
    await execute(this.#pool, BURY, [...this.#name, seq, id, sender, traceparent, payload, reason]);
  }

  async replay(): Promise<number> {
    return (await execute(this.#pool, REPLAY, this.#name)).length;
  }

  async countDead(): Promise<number> {
    const [row] = await execute<{ count: number }>(this.#pool, COUNT_DEAD, this.#name);
    return row?.count ?? 0;
  }

  /** Deletes the messages that every durable consumer of the subject has acknowledged. */
  async trim(): Promise<void> {
    await execute(this.#pool, TRIM, [this.#name[0]]);
  }
}
