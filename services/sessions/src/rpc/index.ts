import type { Context } from '../context.ts';
import { appendEvents } from './append-events.ts';
import { beginTurn } from './begin-turn.ts';
import { claimRuns } from './claim-runs.ts';
import { createSession } from './create-session.ts';
import { deleteSession } from './delete-session.ts';
import { findCredentialRequest } from './find-credential-request.ts';
import { getSession } from './get-session.ts';
import type { Handlers } from './handlers.ts';
import { listEvents } from './list-events.ts';
import { listSessions } from './list-sessions.ts';
import { patchSession } from './patch-session.ts';
import { renewLeases } from './renew-leases.ts';

/** The table of contents: every RPC of the service. */
export function createHandlers(context: Context): Handlers {
  return {
    createSession: createSession(context),
    getSession: getSession(context),
    listEvents: listEvents(context),
    listSessions: listSessions(context),
    patchSession: patchSession(context),
    deleteSession: deleteSession(context),
    findCredentialRequest: findCredentialRequest(context),
    beginTurn: beginTurn(context),
    claimRuns: claimRuns(context),
    appendEvents: appendEvents(context),
    renewLeases: renewLeases(context),
  };
}
