import { RunStatus } from '@agentmesh/proto/sessions/v1';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { readingFor } from '../../edge/streams/reading-for.ts';
import { Run } from './ledger-record.ts';
import { ownerOf, RunPath } from './run-paths.ts';
import { sendRun } from './run-routes.ts';
import { readsOfRun } from '../run-family.ts';

const Query = Type.Object(
  { seconds: Type.Number({ minimum: 0, maximum: 60, default: 30, description: 'The longest wait.' }) },
  { title: 'WaitForRun', required: [] },
);

/** Behind every event: only the end of the run is told. */
const behindAll = 2 ** 31 - 1;
const going: ReadonlySet<RunStatus | undefined> = new Set([RunStatus.QUEUED, RunStatus.RUNNING]);

/** Waits until a run has ended or waits for an answer. */
export function waitForRunRoute(app: App, { sessions, runs, authentication, draining }: Context): void {
  app.get(
    '/runs/:invocation_id/wait',
    readsOfRun(authentication, {
      operationId: 'waitForRun',
      summary: 'Wait for a run',
      description:
        'Answers 200 with the run as soon as it has ended or waits for an answer; 202 with the run as it is then when `seconds` have passed before.',
      params: RunPath,
      querystring: Query,
      response: { 200: Run, 202: Run },
      refusals: [404],
    }),
    async ({ identity, params, query }, reply) => {
      const name = { ...ownerOf(identity), invocationId: params.invocation_id };
      const read = async () => (await sessions.getRun({ ...name, withOutput: true }, unary)).run;
      const first = await read();
      if (!going.has(first?.status) || query.seconds === 0) return sendRun(reply.code(statusOf(first?.status)), first);
      const left = readingFor(reply.raw);
      const signal = AbortSignal.any([left.signal, draining, AbortSignal.timeout(query.seconds * 1000)]);
      try {
        for await (const { isOver } of runs.watchRun({ ...name, afterSeq: behindAll }, { signal })) if (isOver) break;
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        left.abort();
      }
      const run = await read();
      return sendRun(reply.code(statusOf(run?.status)), run);
    },
  );
}

function statusOf(status: RunStatus | undefined): 200 | 202 {
  return going.has(status) ? 202 : 200;
}
