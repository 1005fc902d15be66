import type { Context } from '@google/adk/core';
import { hashOfNames } from '../../hash-of-names.ts';

/**
 * The key of a tool call: the same whenever this call is made, and unique among all calls of all runs. Models may use the id of a call
 * again within a run, so the calls of that id are counted. A copy of a session has the runs and calls of its source, so the key names the session.
 */
export function idempotencyKeyOf({ invocationContext, functionCallId = '' }: Context): string {
  const { session, invocationId } = invocationContext;
  let calls = 0;
  for (const { invocationId: id, content } of session.events) {
    if (id !== invocationId) continue;
    for (const { functionCall } of content?.parts ?? []) if (functionCall?.id === functionCallId) calls += 1;
  }
  const place = hashOfNames(session.appName, session.userId, session.id).toString('base64url').slice(0, 22);
  return `${invocationId}/${functionCallId}${calls > 1 ? `/${calls}` : ''}@${place}`;
}
