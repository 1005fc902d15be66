import { afterChange } from '@agentmesh/lib/rpc';
import { type Static, Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { exclusive } from '../../edge/errors/request-error.ts';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { leavableCall, markReplayed } from '../../edge/idempotency/keyed-call.ts';
import { freeForm, strict } from '../../edge/records/keywords.ts';
import { answerKeyOf } from '../../edge/idempotency/run-key.ts';
import { Run } from './ledger-record.ts';
import { namedRun, RunPath, RunPlace } from './run-paths.ts';
import { sendRun } from './run-routes.ts';
import { writesOfRun } from '../run-family.ts';

const FunctionAnswer = Type.Object(
  {
    id: Type.String({ minLength: 1, description: '`functionCallId` of an entry of `waitingFor`.' }),
    name: Type.String({ minLength: 1, description: 'Its `name`.' }),
    response: freeForm(),
  },
  { title: 'FunctionAnswer' },
);

const example = { id: 'adk-1', name: 'adk_request_confirmation', response: { confirmed: true } };

/** One answer, or several for calls that the run waits for together; not both keys. */
const RunAnswer = Type.Object(
  {
    functionResponse: Type.Optional(FunctionAnswer),
    functionResponses: Type.Optional(Type.Array(FunctionAnswer, { minItems: 1, maxItems: 100 })),
  },
  {
    title: 'RunAnswer',
    description: 'Either `functionResponse` or `functionResponses` is required.',
    ...strict,
    examples: [{ functionResponse: example }],
    'x-one-of': ['functionResponse', 'functionResponses'],
  },
);

/** Answers what a run waits for. */
export function answerRunRoute(app: App, { runs, sessions, authentication, arriving }: Context): void {
  app.post(
    '/runs/:invocation_id/answer',
    {
      onRequest: arriving.enter,
      preHandler: arriving.takeTurn,
      ...writesOfRun(authentication, {
        operationId: 'answerRun',
        summary: 'Answer a run that waits',
        description:
          'The run goes on in the same invocation, and this answers as soon as that is stored. Calls that are left out still wait. Of two answers to one call ' +
          'the second gets 409 with the code `run_not_waiting`; while another call is being answered the code is `run_in_progress`: try again when the run waits. ' +
          '422 for a call that the run does not wait for. `GET /runs?status=waiting` lists the runs that wait.',
        headers: IdempotencyKey,
        params: RunPath,
        querystring: RunPlace,
        body: RunAnswer,
        response: { 202: Run },
        refusals: [404, 409],
      }),
    },
    async (request, reply) => {
      const { identity, body } = request;
      const name = namedRun(request);
      const functionResponsesJson = encodeJson(answersOf(body));
      const isBound = identity.grant?.userId !== undefined;
      const answer = { ...name, functionResponsesJson, isBound, idempotencyKey: answerKeyOf(request) };
      markReplayed(reply, await runs.answerRun(answer, leavableCall(reply)));
      arriving.leave(request);
      reply.code(202);
      return sendRun(reply, (await afterChange(sessions.getRun(name, unary))).run);
    },
  );
}

function answersOf({ functionResponse, functionResponses }: Static<typeof RunAnswer>) {
  if (functionResponse === undefined) return functionResponses ?? [];
  if (functionResponses === undefined) return [functionResponse];
  throw exclusive('functionResponse', 'functionResponses');
}
