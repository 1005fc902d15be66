import { TurnGrantedSchema } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import type { Granted } from '../store/appends.ts';

/** Tells the owner of a queued run that it has the turn now. If the hint is lost, the owner finds the grant when it polls. */
export function hintGranted({ bus, log }: Context, accountId: string, granted: Granted): void {
  const { appName, userId, sessionId, invocationId, owner } = granted;
  const hint = { owner, session: { accountId, appName, userId, sessionId }, invocationId };
  bus
    .publish(TurnGrantedSchema, hint)
    .catch((error: unknown) =>
      log.warn({ err: error }, 'TurnGranted could not be published; the owner of the run finds its turn by polling'),
    );
}
