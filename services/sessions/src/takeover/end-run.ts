import type { MeshError } from '@agentmesh/lib/rpc';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import type { DueRun } from '../store/runs.ts';
import { type AttemptEnding, endAttempt } from '../turns/attempt.ts';
import { closingEvent } from '../turns/closing-event.ts';

/** The end of a run that cannot start, or go on, because it, its state or its session has become too large. */
export function refusal({ reason, message }: MeshError): AttemptEnding {
  return { outcome: AttemptEnd_Outcome.FAILED, errorCode: reason.toUpperCase(), errorMessage: message };
}

/** Ends a run that has no executor, as it was read. Answers whether it was still like that. Rejects like `endAttempt`. */
export async function endWith(context: Context, run: DueRun, ending: AttemptEnding): Promise<boolean> {
  const { accountId, appName } = run.key;
  const { sessionPk, invocationId, fence, lastSeq } = run;
  const events = [closingEvent({ author: appName, invocationId }, ending)];
  const end = { accountId, sessionPk, invocationId, fence, lastSeq, events, changes: [], limits: context.limits };
  return (await endAttempt(context, end, ending)) !== undefined;
}
