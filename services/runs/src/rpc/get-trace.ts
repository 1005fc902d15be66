import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../context.ts';
import { semanticConventions } from '../execution/tracing/gen-ai-span.ts';
import { ledgerTrace } from '../execution/tracing/ledger-trace.ts';
import { isSampled } from '../execution/tracing/watch-attempts.ts';
import { hashOfNames } from '../hash-of-names.ts';
import { selectTraces } from '../store/traces.ts';
import type { Handlers } from './handlers.ts';

/** Events of a run whose spans the ledger tells are fewer. */
const limit = 5;
const timeoutMs = 5_000;

export function getTrace({ db, sessions, config }: Pick<Context, 'db' | 'sessions' | 'config'>): Handlers['getTrace'] {
  return async ({ accountId, invocationId, userId, appName, sessionId }) => {
    const name = { accountId: checkAccountId(accountId), invocationId };
    const { run, events } = await sessions.readRun({ ...name, userId, appName, sessionId, limit }, { timeoutMs });
    const { appName: ofApp = '', userId: ofUser = '', sessionId: ofSession = '' } = run ?? {};
    const sessionSha256 = hashOfNames(ofApp, ofUser, ofSession);
    const [stored] = await selectTraces(db, { ...name, userId: ofUser, sessionSha256, isBound: userId !== '' });
    if (stored !== undefined && stored.spans !== '[]')
      return { semanticConventions, spansJson: Buffer.from(stored.spans) };
    const isWatched = run !== undefined && isSampled(invocationId, config.traces.sample);
    const spans = isWatched ? ledgerTrace(run, events) : [];
    return { semanticConventions, spansJson: Buffer.from(JSON.stringify(spans)) };
  };
}
