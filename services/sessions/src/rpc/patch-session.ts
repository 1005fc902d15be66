import { randomUUID } from 'node:crypto';
import { checkBytes } from '../account-usage.ts';
import type { Context } from '../context.ts';
import { sessionChanged, sessionNotFound } from '../errors.ts';
import { createUserEvent } from '../events/user-event.ts';
import { canExist, checkSessionKey } from '../session-key.ts';
import { parseDelta, toChanges } from '../state-delta.ts';
import { bytesOfEvents } from '../store/sizes.ts';
import { insertPatch } from '../store/sessions.ts';
import { untilCurrent } from '../until-current.ts';
import type { Handlers } from './handlers.ts';

/** Stores a state delta as an event of its own. A running turn gets the delta in the answer to its next append. */
export function patchSession(context: Context): Handlers['patchSession'] {
  return async (request) => {
    if (!canExist(request.session)) throw sessionNotFound();
    const key = checkSessionKey(request.session);
    const { db, limits, usage } = context;
    checkBytes(context, key.accountId);
    const stateDelta = parseDelta(request.stateDeltaJson);
    const changes = toChanges(stateDelta);
    const event = createUserEvent({
      invocationId: `p-${randomUUID()}`,
      message: undefined,
      customMetadata: undefined,
      stateDelta,
      answersCalls: false,
    });
    const write = { event, changes, limits, ifMatch: request.ifMatch };
    const outcome = await untilCurrent(() => insertPatch(db, key, write));
    if (outcome === 'missing') throw sessionNotFound();
    if (outcome === 'other revision') throw sessionChanged();
    usage.add(key.accountId, { bytes: bytesOfEvents([event]) });
    return {};
  };
}
