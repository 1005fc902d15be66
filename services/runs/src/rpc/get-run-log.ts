import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../context.ts';
import { selectRunLines } from '../store/run-logs.ts';
import type { Handlers } from './handlers.ts';

const timeoutMs = 5_000;

export function getRunLog({ db, sessions }: Pick<Context, 'db' | 'sessions'>): Handlers['getRunLog'] {
  return async ({ accountId, invocationId, userId, appName, sessionId }) => {
    const name = { accountId: checkAccountId(accountId), invocationId };
    // Answers of which session the run is, or that there is none.
    const { run } = await sessions.readRun({ ...name, userId, appName, sessionId, limit: 1 }, { timeoutMs });
    const { appName: ofApp = '', sessionId: ofSession = '', userId: ofUser = '' } = run ?? {};
    const parts = await selectRunLines(db, { ...name, appName: ofApp, userId: ofUser, sessionId: ofSession });
    const lines = parts.map(({ lines }) => lines.slice(1, -1)).filter((json) => json !== '');
    const leftOut = parts.reduce((sum, { left_out: count }) => sum + count, 0);
    return { linesJson: Buffer.from(`[${lines.join()}]`), leftOut: BigInt(leftOut) };
  };
}
