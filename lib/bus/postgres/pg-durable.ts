import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { DurableName } from '../driver/index.ts';
import type { PgListener } from './pg-listener.ts';
import { execute } from './pg-stream.ts';
import { Together } from './together.ts';

/** A row of bus.messages or bus.dead_letters. */
export interface MessageRow {
  readonly seq: bigint;
  readonly id: string;
  readonly sender: string;
  readonly traceparent: string | null;
  readonly payload: Buffer;
}

/** Acknowledged messages: all up to `position` except those of `open`, which says for each of its messages how many deliveries of it were begun to be handled. */
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

/** Two looks of a holder and a while fit in. */
const LEASE_SECONDS = 22;

/** Another one after a standby was promoted, which may have lost messages and given their numbers to others. */
const timeline = 'left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)';

const CLAIM = {
  name: 'claim-durable',
  text: `update bus.durables set holder = $3, lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where subject = $1 and durable = $2 and (holder = $3 or lease_until < now()) returning position, open, ${timeline} as timeline`,
};

// Several consumers of one process ask together: those without work would else send a statement each every few seconds.
const SAVE = {
  name: 'save-durables',
  text: `update bus.durables d set position = s.position, open = s.open::jsonb, lease_until = now() + make_interval(secs => s.seconds)
    from unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::float8[], $7::text[])
      with ordinality as s(subject, durable, position, open, seconds, timeline, place)
    where d.subject = s.subject and d.durable = s.durable and d.holder = $1 and ${timeline} = s.timeline
    returning s.place::integer as place,
      exists (select from bus.messages m where m.subject = s.subject and m.seq > s.position) as "hasMore",
      exists (select from bus.dead_letters l where l.subject = s.subject and l.durable = s.durable and l.replay) as "isReplaying"`,
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
  text: `select (select count(*)::int from bus.dead_letters l where l.subject = n.subject and l.durable = n.durable and not l.replay) as count
    from unnest($1::text[], $2::text[]) with ordinality as n(subject, durable, place) order by place`,
};

const TRIM = { name: 'trim-messages', text: 'select bus.trim(subject) from unnest($1::text[]) subject' };

type SavedRow = Saved & { readonly place: number };

interface Saving {
  readonly name: DurableName;
  readonly progress: Progress;
  readonly seconds: number;
}

/** The durable consumers of one process. What several of them ask at the same moment is one statement. */
export class PgDurables {
  readonly #pool: pg.Pool;
  readonly #listener: Pick<PgListener, 'query'>;
  readonly #holder = randomUUID();
  readonly #saves = new Together((asked: readonly Saving[]) => this.#save(asked));
  readonly #counts = new Together((asked: readonly DurableName[]) => this.#countDead(asked));
  readonly #trims = new Together((asked: readonly string[]) => this.#trim(asked));

  /** The holder says that it is there over the connection that listens: so that one needs no other sign of life. */
  constructor(pool: pg.Pool, listener: Pick<PgListener, 'query'>) {
    this.#pool = pool;
    this.#listener = listener;
  }

  durable(name: DurableName): PgDurable {
    const asks = {
      save: (progress: Progress, seconds: number) => this.#saves.ask({ name, progress, seconds }),
      countDead: () => this.#counts.ask(name),
      trim: () => this.#trims.ask(name.subject),
    };
    return new PgDurable(this.#pool, name, { ...asks, holder: this.#holder });
  }

  async #save(asked: readonly Saving[]): Promise<(Saved | undefined)[]> {
    const columnsOf = [
      asked.map(({ name }) => name.subject),
      asked.map(({ name }) => name.durable),
      asked.map(({ progress }) => progress.position),
      asked.map(({ progress }) => JSON.stringify(progress.open)),
      asked.map(({ seconds }) => seconds),
      asked.map(({ progress }) => progress.timeline),
    ];
    const ask = { ...SAVE, values: [this.#holder, ...columnsOf] };
    const rows = (await this.#listener.query<SavedRow>(ask)) ?? (await execute<SavedRow>(this.#pool, SAVE, ask.values));
    const saved = new Map(rows.map((row) => [row.place, row]));
    return asked.map((_, index) => saved.get(index + 1));
  }

  async #countDead(names: readonly DurableName[]): Promise<number[]> {
    const values = [names.map(({ subject }) => subject), names.map(({ durable }) => durable)];
    return (await execute<{ count: number }>(this.#pool, COUNT_DEAD, values)).map(({ count }) => count);
  }

  async #trim(subjects: readonly string[]): Promise<void[]> {
    await execute(this.#pool, TRIM, [[...new Set(subjects)]]);
    return [];
  }
}

interface Asks {
  readonly holder: string;
  readonly save: (progress: Progress, seconds: number) => Promise<Saved | undefined>;
  readonly countDead: () => Promise<number>;
  readonly trim: () => Promise<void>;
}

/** The statements of one durable consumer. All of them throw `unavailable` when PostgreSQL does not answer. */
export class PgDurable {
  readonly #pool: pg.Pool;
  readonly #name: readonly [string, string];
  readonly #asks: Asks;

  constructor(pool: pg.Pool, { subject, durable }: DurableName, asks: Asks) {
    this.#pool = pool;
    this.#name = [subject, durable];
    this.#asks = asks;
  }

  /** Makes this process the holder. Undefined while another one is, or while there is no such durable consumer yet. */
  async claim(): Promise<Progress | undefined> {
    type Row = { position: bigint; open: string; timeline: string };
    const [row] = await execute<Row>(this.#pool, CLAIM, [...this.#name, this.#asks.holder]);
    if (row === undefined) return undefined;
    return { ...row, open: JSON.parse(row.open) as Progress['open'] };
  }

  /** Stores what is acknowledged and stays the holder, unless `release` is set. Undefined when another process has become the holder, or a standby was promoted. */
  save(progress: Progress, { release = false } = {}): Promise<Saved | undefined> {
    return this.#asks.save(progress, release ? -1 : LEASE_SECONDS);
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

  countDead(): Promise<number> {
    return this.#asks.countDead();
  }

  /** Deletes the messages that every durable consumer of the subject has acknowledged. */
  trim(): Promise<void> {
    return this.#asks.trim();
  }
}
