import { MeshError } from '@agentmesh/lib/rpc';
import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import { type Context, unary } from '../../context.ts';
import type { Identity } from '../../edge/authentication/identity.ts';
import { endUserOf } from '../road/end-user.ts';

/** A chat is a session. */
export interface Chat {
  readonly accountId: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
}

interface ChatRequest {
  readonly identity: Identity;
  readonly params: { readonly app_name: string; readonly session_id: string };
  readonly query: { readonly user?: string | null | undefined };
}

/** The chat that a path names. Refuses with 403 another user than the one that a token is bound to. */
export function chatOf({ identity, params, query }: ChatRequest): Chat {
  const { accountId } = identity;
  return { accountId, appName: params.app_name, userId: endUserOf(identity, query.user), sessionId: params.session_id };
}

const unfinished = [RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.WAITING];

/** The runs of a chat that are not over, newest first; none when there is no such chat yet. */
export async function unfinishedRuns({ sessions }: Context, chat: Chat): Promise<LedgerRun[]> {
  try {
    return (await sessions.listRuns({ ...chat, statuses: unfinished }, unary)).runs;
  } catch (error) {
    if (error instanceof MeshError && error.reason === 'session_not_found') return [];
    throw error;
  }
}
