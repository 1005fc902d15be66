import { passedKey } from '@agentmesh/lib/idempotency';
import type { Context } from '../context.ts';
import { messageInvalid } from '../errors.ts';
import { checkMessage } from '../execution/check-message.ts';
import type { Handlers } from './handlers.ts';

const timeoutMs = 10_000;

/** Checks a message for a run that is not over, and has it stored. Its executor, in any process, finds it when it stores its next event. */
export function addRunMessage({ sessions }: Context): Handlers['addRunMessage'] {
  return async ({ $typeName: _, messageJson, ...name }, { requestHeader }) => {
    if (messageJson.length === 0) throw messageInvalid('No parts in the new_message.');
    if (checkMessage(messageJson).length > 0) {
      throw messageInvalid('A message to a run cannot answer function calls: answer them when the run waits.');
    }
    const request = { ...name, messageJson };
    const { run, already } = await sessions.addRunMessage(request, { timeoutMs, headers: passedKey(requestHeader) });
    return { already, ...(run && { run }) };
  };
}
