import { randomUUID } from 'node:crypto';
import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { MethodImpl } from '@connectrpc/connect';
import type { Context } from '../context.ts';
import { sessionChanged, sessionNotFound } from '../errors.ts';
import { untilCurrent } from '../retry.ts';
import { canExist, keyParameters } from '../session-key.ts';
import { parseDelta, toChanges } from '../state-delta.ts';
import { patchSession as appendPatch } from '../store/sessions.ts';
import { createUserEvent } from '../user-event.ts';

type PatchSession = MethodImpl<(typeof SessionsService)['method']['patchSession']>;

/** Stores a state delta as an event of its own; a running turn learns of it with its next append. */
export function patchSession({ db }: Context): PatchSession {
  return async (request) => {
    if (!canExist(request.session)) throw sessionNotFound();
    const key = keyParameters(request.session);
    const stateDelta = parseDelta(request.stateDeltaJson);
    const changes = toChanges(stateDelta);
    const event = createUserEvent({
      invocationId: `p-${randomUUID()}`,
      message: undefined,
      customMetadata: undefined,
      stateDelta,
      answersCalls: false,
    });
    const outcome = await untilCurrent(() => appendPatch(db, key, { event, changes, ifMatch: request.ifMatch }));
    if (outcome === 'missing') throw sessionNotFound();
    if (outcome === 'other revision') throw sessionChanged();
    return {};
  };
}
