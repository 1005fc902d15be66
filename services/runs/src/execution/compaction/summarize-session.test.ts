import { RunStatus, type SessionKey } from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';
import { type CompactionJob, summarizeSession, type SummarizeDeps } from './summarize-session.ts';

const session = { accountId: 'a', appName: 'app', userId: 'u', sessionId: 'source' } as SessionKey;

const eventOf = (seq: number, author: string, part: object) => ({
  seq,
  turnStart: author === 'user',
  json: Buffer.from(
    JSON.stringify({ id: `${seq}`, author, invocationId: 'e-1', timestamp: seq, content: { parts: [part] } }),
  ),
});

test('a question that waits in a session is not summarized away when the run of a copy with its id is over', async () => {
  const functionCall = { id: 'c1', name: 'ask', args: {} };
  const sessions = {
    claimCompaction: () => ({
      sessionPk: 7n,
      viewSeq: 0,
      summaries: [],
      events: [eventOf(1, 'user', { text: 'go on' }), eventOf(2, 'app', { functionCall })],
      coveredSeq: 0,
      more: true,
      hasOpenRun: false,
    }),
    getRun: ({ sessionId }: Partial<SessionKey>) => ({
      run: { status: sessionId === 'source' ? RunStatus.WAITING : RunStatus.COMPLETED },
    }),
    storeCompaction: () => ({ stored: true }),
  };
  const models = {
    resolve: () => ({
      async *generateContentAsync() {
        yield { content: { parts: [{ text: 'They talked.' }] } };
      },
    }),
  };
  const job = { session, invocationId: 'e-2', rule: { interval: 1, overlap: 0 }, model: { names: ['m'] } };
  const deps = { sessions, models } as unknown as SummarizeDeps;
  const signal = new AbortController().signal;
  expect(await summarizeSession(deps, job as unknown as CompactionJob, signal)).toBe(false);
});
