import pg from 'pg';
import { busUnavailable, checkPayload, type Stream, type StreamMessage, type StreamPlan } from '../driver/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { channelOf, encodeNotification } from './pg-notification.ts';

const ADD_DURABLES = {
  name: 'add-durables',
  text: `insert into bus.durables (subject, durable) select * from unnest($1::text[], $2::text[]) on conflict do nothing`,
};

// Each message locks its subject: see the trigger number_message. All appends lock in the order of the subjects, so that none waits for another in a circle.
const APPEND = {
  name: 'append-messages',
  text: `with stored as (
      insert into bus.messages (subject, id, sender, traceparent, payload)
      select subject, id, sender, traceparent, payload
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[]) with ordinality
          as m(subject, id, sender, traceparent, payload, place)
      order by subject, place
      returning 1
    )
    select pg_notify(channel, text) from unnest($6::text[], $7::text[]) as hint(channel, text),
      (select count(*) from stored) s`,
};

const RETIRE_DURABLES = {
  name: 'retire-durables',
  text: `delete from bus.durables d using unnest($1::text[], $2::text[]) as f(subject, durable)
    where d.subject = f.subject and d.durable = f.durable and d.lease_until < now() - interval '1 day'`,
};

const RETIRE_LETTERS = {
  name: 'retire-dead-letters',
  text: `delete from bus.dead_letters l using unnest($1::text[], $2::text[]) as f(subject, durable)
    where l.subject = f.subject and l.durable = f.durable
      and not exists (select from bus.durables d where d.subject = f.subject and d.durable = f.durable)`,
};

/** A topic whose last consumer has gone has nobody else who trims it. */
const TRIM_FORMER = {
  name: 'trim-former',
  text: 'select bus.trim(subject) from (select distinct unnest($1::text[]) as subject) s',
};

const RETIRE_EVERY_MS = 60 * 60_000;

type Pairs = readonly [subjects: readonly string[], durables: readonly string[]];

export interface PgStreamOptions {
  readonly pool: pg.Pool;
  readonly plan: StreamPlan;
  readonly log: Logger;
}

/** A stream in the tables of the bus. Once an hour, before it appends, it removes durable consumers of an earlier release that nobody has held for a day. */
export class PgStream implements Stream {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #former: Pairs;
  #retiredAt = -Infinity;

  private constructor({ pool, plan, log }: PgStreamOptions) {
    this.#pool = pool;
    this.#log = log;
    this.#former = pairsOf(plan.topics.map(({ subject, former = [] }) => ({ subject, durables: former })));
  }

  static async open(options: PgStreamOptions): Promise<PgStream> {
    const stream = new PgStream(options);
    await execute(options.pool, ADD_DURABLES, pairsOf(options.plan.topics));
    await stream.#retire();
    return stream;
  }

  async append(messages: readonly StreamMessage[]): Promise<void> {
    for (const { subject, payload } of messages) checkPayload(subject, payload);
    await this.#retire();
    const hints = messages.flatMap((message) =>
      encodeNotification(message.id, message.payload, message).map((text) => [channelOf(message.subject), text]),
    );
    await execute(this.#pool, APPEND, [
      messages.map(({ subject }) => subject),
      messages.map(({ id }) => id),
      messages.map(({ sender }) => sender),
      messages.map(({ traceparent }) => traceparent ?? null),
      messages.map(({ payload }) => Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)),
      hints.map(([channel]) => channel),
      hints.map(([, text]) => text),
    ]);
  }

  async #retire(): Promise<void> {
    const [subjects] = this.#former;
    if (subjects.length === 0 || performance.now() - this.#retiredAt < RETIRE_EVERY_MS) return;
    this.#retiredAt = performance.now();
    try {
      for (const statement of [RETIRE_DURABLES, RETIRE_LETTERS]) await execute(this.#pool, statement, this.#former);
      await execute(this.#pool, TRIM_FORMER, [subjects]);
    } catch (err) {
      this.#log.warn(
        { err, subjects },
        'consumers of an earlier release could not be removed: they are tried again in an hour',
      );
    }
  }
}

function pairsOf(topics: readonly { readonly subject: string; readonly durables: readonly string[] }[]): Pairs {
  const pairs = topics.flatMap(({ subject, durables }) => durables.map((durable) => [subject, durable] as const));
  return [pairs.map(([subject]) => subject), pairs.map(([, durable]) => durable)];
}

interface Prepared {
  readonly name: string;
  readonly text: string;
}

const NO_RIGHT = '42501';

/** Throws `unavailable` when the statement failed. */
export async function execute<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: Prepared,
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    return (await pool.query<Row>({ ...statement, values: [...values] })).rows;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== NO_RIGHT) throw busUnavailable(error);
    const message = 'The login lacks rights on the schema bus: run `npm start -- migrate`.';
    throw busUnavailable(error, message);
  }
}
