import { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { createSession } from './create-session.ts';
import { deleteSession } from './delete-session.ts';
import { findCredentialRequest } from './find-credential-request.ts';
import { getSession } from './get-session.ts';
import { countedOnce } from './counted-once.ts';
import type { Handlers } from './handlers.ts';
import { runHandlers } from './runs/index.ts';
import { operatorHandlers } from './operators/index.ts';
import { retentionHandlers } from './retention/index.ts';
import { historyHandlers } from './history/index.ts';
import { listEvents } from './list-events.ts';
import { listSessionKeys } from './list-session-keys.ts';
import { listSessions } from './list-sessions.ts';
import { patchSession } from './patch-session.ts';

/** The table of contents: every RPC of the service. */
export function createHandlers(context: Context): Handlers {
  const { method } = SessionsService;
  return {
    createSession: countedOnce(context, method.createSession, createSession),
    getSession: getSession(context),
    listEvents: listEvents(context),
    listSessions: listSessions(context),
    listSessionKeys: listSessionKeys(context),
    patchSession: countedOnce(context, method.patchSession, patchSession),
    deleteSession: deleteSession(context),
    ...historyHandlers(context),
    findCredentialRequest: findCredentialRequest(context),
    ...runHandlers(context),
    ...operatorHandlers(context),
    ...retentionHandlers(context),
  };
}
