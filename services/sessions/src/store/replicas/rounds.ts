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

const findAnswer = createQuery<{ kind: string; seconds: number }, { answer: string | null; fresh: boolean }>({
  name: 'find-answer-of-round',
  text: (
    param,
  ) => `select answer::text as answer, began_at > now() - make_interval(secs => ${param.seconds}::float8) as fresh
    from rounds where kind = ${param.kind}`,
});

const storeAnswer = createQuery<{ kind: string; answer: string }>({
  name: 'store-answer-of-round',
  text: (param) => `update rounds set answer = ${param.answer}::json where kind = ${param.kind}`,
});

/** Like `beginRound`, for rounds that many replicas ask for often: reads first, because an attempt to begin a round locks its row. */
export async function takeRound(db: Queryable, kind: string, seconds: number): Promise<boolean> {
  const [last] = await findAnswer(db, { kind, seconds });
  return last?.fresh !== true && (await beginRound(db, kind, seconds));
}

/**
 * The answer of `ask`, which must be JSON, or one that a process got some seconds ago: one of them asks in `seconds`, and the others meanwhile get the last
 * answer. Undefined when there is none yet.
 */
export async function askInTurns<T>(
  db: Queryable,
  { kind, seconds }: { readonly kind: string; readonly seconds: number },
  ask: () => Promise<T>,
): Promise<T | undefined> {
  const [last] = await findAnswer(db, { kind, seconds });
  if (last?.fresh !== true && (await beginRound(db, kind, seconds))) {
    const answer = await ask();
    await storeAnswer(db, { kind, answer: JSON.stringify(answer) });
    return answer;
  }
  return last?.answer === null || last === undefined ? undefined : (JSON.parse(last.answer) as T);
}
