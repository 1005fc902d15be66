import { TurnGrantedSchema } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import type { Granted } from '../store/appends.ts';

/** Tells the owner of a waiting run that it has the turn. A lost hint costs its owner a poll, nothing else. */
export function hintGranted({ bus, log }: Context, accountId: string, granted: Granted): void {
  const { appName, userId, sessionId, invocationId, owner } = granted;
  const hint = { owner, session: { accountId, appName, userId, sessionId }, invocationId };
  bus
    .publish(TurnGrantedSchema, hint)
    .catch((error: unknown) => log.warn({ err: error }, 'a turn was granted, its hint was not sent'));
}
