import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { CheckedKey } from '../../session-key.ts';
import { hasKey } from '../key-condition.ts';

/** A run as far as an answer to its calls is judged. */
export interface AwaitingRun {
  readonly status: string;
  readonly attempt: number;
  /** JSON of the calls that the run waits for; null when it does not wait or they are not known. */
  readonly waiting_for: string | null;
  /** JSON of messages that it keeps; null when there are none. */
  readonly added: string | null;
}

const findAwaiting = createQuery<CheckedKey & { readonly invocationId: string }, AwaitingRun>({
  name: 'find-awaiting-run',
  text: (param) => `select r.status, r.attempt, r.waiting_for, r.added from sessions s cross join lateral (
      select status, attempt, waiting_for::text, added_messages::text as added from runs where account_id = s.account_id and session_pk = s.pk and invocation_id = ${param.invocationId} offset 0
    ) r where ${hasKey(param, 's')}`,
});

/** A run of a session; undefined when the session has no such run. */
export async function selectAwaitingRun(
  db: Queryable,
  run: CheckedKey & { readonly invocationId: string },
): Promise<AwaitingRun | undefined> {
  const [row] = await findAwaiting(db, run);
  return row;
}
