import { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { countedOnce } from '../counted-once.ts';
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
    rewindSession: countedOnce(context, method.rewindSession, rewindSession),
    forkSession: countedOnce(context, method.forkSession, forkSession),
    claimCompaction: claimCompaction(context),
    storeCompaction: storeCompaction(context),
  };
}
