import type { Context } from '../../../context.ts';
import { callNotFound, invalid } from '../../../errors.ts';
import type { CheckedKey } from '../../../session-key.ts';
import { findFunctionCall } from '../../../store/events/events.ts';
import { selectRunStatus } from '../../../store/runs.ts';
import type { Answer } from '../../../turns/awaited-answer.ts';

/** Function calls of one invocation. */
export interface AnsweredCalls extends Pick<Answer, 'calls'> {
  readonly invocationId: string;
  /** Sequence of the oldest event that makes one of them. */
  readonly seq: number;
}

/** The calls that a message answers. Undefined when it answers none. Throws when one does not exist, or when they are of several invocations. */
export async function findAnsweredCalls(
  { db }: Context,
  key: CheckedKey,
  callIds: readonly string[],
): Promise<AnsweredCalls | undefined> {
  if (callIds.length === 0) return undefined;
  const found = await Promise.all(callIds.map((id) => findFunctionCall(db, key, id)));
  const sites = found.filter((site) => site !== undefined);
  // An unknown session is reported before an unknown call.
  if (sites.length < callIds.length) await selectRunStatus(db, key, '');
  if (sites.length < callIds.length) throw callNotFound(callIds.filter((_, index) => found[index] === undefined));
  const invocationId = sites[0]?.invocation_id ?? '';
  if (sites.some((site) => site.invocation_id !== invocationId)) {
    throw invalid('Function responses of one message must answer calls of one invocation.');
  }
  const calls = sites.map(({ name }, index) => ({ name, id: callIds[index] ?? '' }));
  return { invocationId, calls, seq: Math.min(...sites.map(({ seq }) => seq)) };
}
