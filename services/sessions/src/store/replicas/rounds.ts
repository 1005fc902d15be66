import { createQuery, type Queryable } from '@agentmesh/lib/pg';

const begin = createQuery<{ kind: string; pauseSeconds: number }, { began: boolean }>({
  name: 'begin-round',
  text: (param) => `insert into rounds as r (kind, began_at) values (${param.kind}, now())
    on conflict (kind) do update set began_at = now() where r.began_at < now() - make_interval(secs => ${param.pauseSeconds})
    returning true as began`,
});

/** Whether a round of this kind begins now: no replica has begun one in the last `pauseSeconds`. */
export async function beginRound(db: Queryable, kind: string, pauseSeconds: number): Promise<boolean> {
  return (await begin(db, { kind, pauseSeconds })).length > 0;
}

const findAge = createQuery<{ kind: string }, { seconds: number }>({
  name: 'find-age-of-round',
  text: (param) =>
    `select extract(epoch from now() - began_at)::float8 as seconds from rounds where kind = ${param.kind}`,
});

/** Seconds since the latest round of a kind; undefined before the first one. */
export async function secondsSinceRound(db: Queryable, kind: string): Promise<number | undefined> {
  return (await findAge(db, { kind }))[0]?.seconds;
}

/**
 * SQL of two common table expressions: `last`, the latest round of a kind, and `began`, which has a row when a round begins now. It reads first, because an
 * attempt to begin a round locks its row, and many replicas ask often.
 */
export const roundInTurn = (kind: string, seconds: string): string => `last as materialized (
      select answer, began_at > now() - make_interval(secs => ${seconds}::float8) as fresh from rounds where kind = ${kind}
    ), began as (
      insert into rounds as r (kind, began_at) select ${kind}, now() where (select fresh from last) is not true
      on conflict (kind) do update set began_at = now() where r.began_at < now() - make_interval(secs => ${seconds}::float8)
      returning true as began
    )`;

const takeRound = createQuery<{ kind: string; seconds: number }, { answer: string | null; began: boolean }>({
  name: 'take-round',
  text: (param) => `with ${roundInTurn(`${param.kind}::text`, param.seconds)}
    select (select answer::text from last) as answer, exists (select from began) as began`,
});

const storeAnswer = createQuery<{ kind: string; answer: string }>({
  name: 'store-answer-of-round',
  text: (param) => `update rounds set answer = ${param.answer}::json where kind = ${param.kind}`,
});

/**
 * The answer of `ask`, which must be JSON, or one that a process got some seconds ago: one of them asks in `seconds`, and the others meanwhile get the last
 * answer. Undefined when there is none yet.
 */
export async function askInTurns<T>(
  db: Queryable,
  { kind, seconds }: { readonly kind: string; readonly seconds: number },
  ask: () => Promise<T>,
): Promise<T | undefined> {
  const [round] = await takeRound(db, { kind, seconds });
  const last = round?.answer ?? null;
  if (round?.began === true) {
    const answer = await ask();
    const text = JSON.stringify(answer);
    if (text !== last) await storeAnswer(db, { kind, answer: text });
    return answer;
  }
  return last === null ? undefined : (JSON.parse(last) as T);
}
