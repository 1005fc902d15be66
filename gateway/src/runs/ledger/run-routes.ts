import { setTimeout as delay } from 'node:timers/promises';
import { afterChange, MeshError } from '@agentmesh/lib/rpc';
import { runRecord } from '@agentmesh/proto/run-record';
import { type LedgerRun, RunStatus, type SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { FastifyReply } from 'fastify';
import { type App, type Context, unary } from '../../context.ts';
import { comma, encodeJson, joinBytes, sendJson } from '../../edge/json/json-bytes.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../../edge/idempotency/keyed-call.ts';
import { namedRun, RunPath, RunPlace } from './run-paths.ts';
import { Run } from './ledger-record.ts';
import { readsOfRun, writesOfRun } from '../run-family.ts';

/** Routes that read and cancel a run. */
export function runRecordRoutes(app: App, context: Context): void {
  addRead(app, context);
  addCancel(app, context);
}

function addRead(app: App, { sessions, authentication }: Context): void {
  app.get(
    '/runs/:invocation_id',
    readsOfRun(authentication, {
      operationId: 'getRun',
      summary: 'Get a run',
      description: 'The run as it is now. It stays when its session is deleted.',
      params: RunPath,
      querystring: RunPlace,
      response: { 200: Run },
      refusals: [404],
    }),
    async (request, reply) => {
      const name = { ...namedRun(request), withOutput: true };
      return sendRun(reply, (await sessions.getRun(name, unary)).run);
    },
  );
}

function addCancel(app: App, { sessions, authentication }: Context): void {
  app.post(
    '/runs/:invocation_id/cancel',
    writesOfRun(authentication, {
      operationId: 'cancelRun',
      summary: 'Cancel a run',
      description:
        'Stops the run wherever it is executed, and keeps the text so far as an event with `interrupted`. A run that is over stays as it is. ' +
        'The answer waits up to a second for the end.',
      headers: IdempotencyKey,
      params: RunPath,
      querystring: RunPlace,
      response: { 200: Run },
      refusals: [400, 404, 413],
    }),
    async (request, reply) => {
      const name = namedRun(request);
      const { run, already } = await sessions.cancelRun(name, keyedCall(request, reply));
      markReplayed(reply, { already });
      return sendRun(reply, run?.status === RunStatus.RUNNING ? await endOf(sessions, name) : run);
    },
  );
}

/** Pauses between looks at a run that is being cancelled. */
const pausesMs = [10, 20, 40, 80, 150, 300, 400];

/** The run when it has ended, or after a second. */
async function endOf(
  sessions: Client<typeof SessionsService>,
  name: ReturnType<typeof namedRun>,
): Promise<LedgerRun | undefined> {
  let run: LedgerRun | undefined;
  for (const pauseMs of pausesMs) {
    await delay(pauseMs);
    ({ run } = await afterChange(sessions.getRun(name, unary)));
    if (run?.status !== RunStatus.RUNNING) break;
  }
  return run;
}

/** Sends a run as the body, with further fields. */
export function sendRun(reply: FastifyReply, run: LedgerRun | undefined, fields?: object): FastifyReply {
  if (run === undefined) throw new MeshError('internal', 'run_missing', 'The sessions service answered no run.');
  const record = runRecord(run);
  if (fields === undefined) return sendJson(reply, record);
  return sendJson(reply, joinBytes([record.subarray(0, -1), comma, encodeJson(fields).subarray(1)]));
}
