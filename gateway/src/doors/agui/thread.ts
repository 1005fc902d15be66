import { isMeshError } from '@agentmesh/lib/rpc';
import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import { type Context, unary } from '../../context.ts';
import type { DoorRun } from '../road/start-run.ts';
import { readState, type State } from './page-state.ts';

/** A thread of AG-UI is a session. */
export type ThreadKey = Omit<DoorRun, 'invocationId'>;

/** A session as a run finds it. */
export interface Thread {
  readonly state: State;
  /** Id of the last message of the user that this door has given to the newest turn. */
  readonly lastId: string | undefined;
}

/** Reads the state of a session and the mark of its newest event; undefined without a session. */
export async function readThread(
  { sessions }: Pick<Context, 'sessions'>,
  session: ThreadKey,
): Promise<Thread | undefined> {
  let stateJson: Uint8Array | undefined;
  let newest: Uint8Array | undefined;
  try {
    for await (const page of sessions.getSession({ session, numRecentEvents: 1 }, unary)) {
      stateJson ??= page.session?.stateJson;
      newest = page.events.at(-1) ?? newest;
    }
  } catch (error) {
    if (isMeshError(error) && error.reason === 'session_not_found') return undefined;
    throw error;
  }
  const { customMetadata } = (newest === undefined ? {} : JSON.parse(Buffer.from(newest).toString())) as Marked;
  return { state: readState(stateJson ?? new Uint8Array()), lastId: customMetadata?.agui?.messageId };
}

interface Marked {
  readonly customMetadata?: { readonly agui?: { readonly messageId?: string } };
}

/** Metadata of runs that tells which message of the page began them. */
export function markOf(messageId: string | undefined): Record<string, unknown> | undefined {
  return messageId === undefined ? undefined : { agui: { messageId } };
}

/** The run that an earlier request with the same `runId` has started. */
export async function findRun(
  { sessions }: Pick<Context, 'sessions'>,
  run: DoorRun,
): Promise<{ readonly messageId: string | undefined } | undefined> {
  try {
    const { run: found } = await sessions.getRun(run, unary);
    return { messageId: found && messageIdOf(found) };
  } catch (error) {
    if (isMeshError(error) && error.reason === 'run_not_found') return undefined;
    throw error;
  }
}

function messageIdOf({ customMetadataJson: json }: LedgerRun): string | undefined {
  if (json.length === 0) return undefined;
  return (JSON.parse(Buffer.from(json).toString()) as Marked['customMetadata'])?.agui?.messageId;
}
