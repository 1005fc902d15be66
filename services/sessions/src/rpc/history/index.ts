import { once } from '@agentmesh/lib/idempotency';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import type { Handlers } from '../handlers.ts';
import { claimCompaction } from './claim-compaction.ts';
import { forkSession } from './fork-session.ts';
import { rewindSession } from './rewind-session.ts';
import { storeCompaction } from './store-compaction.ts';

/** Rewinds, copies, and summaries of old events. */
export function historyHandlers(
  context: Context,
): Pick<Handlers, 'rewindSession' | 'forkSession' | 'claimCompaction' | 'storeCompaction'> {
  const { method } = SessionsService;
  return {
    rewindSession: once(context, method.rewindSession, rewindSession),
    forkSession: once(context, method.forkSession, forkSession),
    claimCompaction: claimCompaction(context),
    storeCompaction: storeCompaction(context),
  };
}
