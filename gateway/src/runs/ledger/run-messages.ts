import { Type } from 'typebox';
import type { App, Context } from '../../context.ts';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../../edge/idempotency/keyed-call.ts';
import { Content } from '../../edge/records/content.ts';
import { Run } from './ledger-record.ts';
import { namedRun, RunPath, RunPlace } from './run-paths.ts';
import { sendRun } from './run-routes.ts';
import { strict } from '../../edge/records/keywords.ts';
import { writesOfRun } from '../run-family.ts';

const RunMessage = Type.Object(
  { newMessage: Content },
  {
    title: 'RunMessage',
    ...strict,
    examples: [{ newMessage: { role: 'user', parts: [{ text: 'Only hotels with a pool.' }] } }],
  },
);

/** Adds messages to runs that are not over. */
export function runMessageRoute(app: App, { runs, authentication }: Context): void {
  app.post(
    '/runs/:invocation_id/messages',
    writesOfRun(authentication, {
      operationId: 'addRunMessage',
      summary: 'Add a message to a run',
      description:
        'The agent sees the message before its next model call; an answer that it gives at this moment is not its last one then. The message of a run ' +
        'that has not started is extended. A run that waits for an answer keeps the message, and the agent sees it behind the answer. 409 when the run is over.',
      headers: IdempotencyKey,
      params: RunPath,
      querystring: RunPlace,
      body: RunMessage,
      response: { 202: Run },
      refusals: [403, 404, 409],
    }),
    async (request, reply) => {
      const { identity, body } = request;
      const name = namedRun(request);
      const { newMessage } = body;
      const messageJson = encodeJson({ ...newMessage, role: newMessage.role ?? 'user' });
      const isBound = identity.grant?.userId !== undefined;
      const { run, already } = await runs.addRunMessage({ ...name, messageJson, isBound }, keyedCall(request, reply));
      markReplayed(reply, { already });
      reply.code(202);
      return sendRun(reply, run);
    },
  );
}
