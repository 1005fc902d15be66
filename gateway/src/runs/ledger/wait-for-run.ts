import { Type } from 'typebox';
import type { App, Context } from '../../context.ts';
import { readingFor } from '../../edge/streams/reading-for.ts';
import { Run } from './ledger-record.ts';
import { namedRun, RunPath, RunPlace } from './run-paths.ts';
import { sendRun } from './run-routes.ts';
import { isGoing, runEnd } from '../run-end.ts';
import { readsOfRun } from '../run-family.ts';

const Query = Type.Object(
  {
    ...RunPlace.properties,
    seconds: Type.Number({ minimum: 0, maximum: 60, default: 30, description: 'The longest wait.' }),
  },
  { title: 'WaitForRun', required: [] },
);

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
    async (request, reply) => {
      const name = namedRun(request);
      // A timeout takes whole milliseconds only.
      const late = AbortSignal.timeout(Math.ceil(request.query.seconds * 1000));
      const signal = AbortSignal.any([readingFor(reply.raw).signal, draining, late]);
      const run = await runEnd({ sessions, runs }, name, signal);
      return sendRun(reply.code(isGoing(run) ? 202 : 200), run);
    },
  );
}
