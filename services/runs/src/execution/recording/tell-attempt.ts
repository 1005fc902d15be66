import type { Logger } from '@agentmesh/lib/telemetry';
import type { Turn } from '@agentmesh/proto/sessions/v1';
import { loggableError } from '../../models/index.ts';
import { tellRun } from '../../tell-run.ts';

// The log of the mesh gets the errors themselves, the log of the run public texts.

/** Tells that this attempt goes on with a run that another process has begun. */
export function tellTakenUp(): void {
  const message =
    'The process that executed the run has not brought it to its end: another one goes on from the last stored event.';
  tellRun({ level: 'warn', message });
}

/** Tells that another process goes on with the run. */
export function tellHandedOver(): void {
  tellRun({ level: 'info', message: 'The process that executes the run ends: another one goes on with it.' });
}

/** Tells how the agents have failed. */
export function tellFailed(
  log: Logger,
  { invocationId, session }: Turn,
  { error, errorCode, errorMessage }: { error: unknown; errorCode: string; errorMessage: string },
): void {
  log.warn({ err: loggableError(error), invocationId, app: session?.appName }, 'run failed');
  tellRun({ level: 'error', message: `The run has failed: ${errorMessage}`, attributes: { errorCode } });
}

interface Unstored {
  readonly err: unknown;
  readonly isLost: boolean;
}

/** Tells why an attempt has stored no end. `isLost`: it does not hold its turn any more. */
export function tellUnstored(log: Logger, { invocationId, session }: Turn, { err, isLost }: Unstored): void {
  const facts = { err, invocationId, app: session?.appName };
  if (isLost) {
    log.info(facts, 'run lost its turn');
    const message = 'This attempt stores nothing more: the run was cancelled, deleted or taken over meanwhile.';
    tellRun({ level: 'warn', message });
  } else {
    log.error(facts, 'the end of a run could not be stored');
    tellRun({ level: 'error', message: 'The end of the run could not be stored.' });
  }
}
