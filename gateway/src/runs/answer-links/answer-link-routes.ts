import { MeshError } from '@agentmesh/lib/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { problemOf } from '../../edge/errors/problem.ts';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import { answerPage, answerPagePolicy, saying } from './answer-page.ts';
import { answeredRun, type DeadLink, findQuestion, type Question } from './find-question.ts';
import { type AnswerFields, readAnswers } from './read-answers.ts';

const path = '/run-answers';
/** Most calls that a mailed link asks about. */
const mostCalls = 20;

const token = Type.String({ maxLength: 100, writeOnly: true });
const Query = Type.Object({ token: Type.String({ writeOnly: true, default: '' }) }, { required: [] });
const answers = Array.from({ length: mostCalls }, (_, index) => [
  `answer${index}`,
  Type.Optional(Type.String({ writeOnly: true })),
]);
const Form = Type.Object({ token, ...Object.fromEntries(answers) });
/** The schema is that of a form; a JSON body is checked by the same fields. */
const AnswerForm = Type.Unsafe<{ token: string } & AnswerFields>({ ...Form, 'x-form': Form });

/**
 * The pages behind mailed links to runs that wait. The token of the link is the only proof, and it is good for this wait of this run. Reading the page
 * changes nothing, because programs that check mail follow links; the answer is a form that is posted.
 */
export function answerLinkRoutes(app: App, context: Context): void {
  const hide = true;

  app.get(path, { schema: { hide, querystring: Query } }, async (request, reply) => {
    if (await isLimited(context, request, reply)) return reply;
    const { token } = request.query;
    const question = await findQuestion(context, token);
    return 'status' in question ? sendDead(reply, question) : sendQuestion(reply, { token, question });
  });

  app.post(path, { schema: { hide, body: AnswerForm } }, async (request, reply) => {
    if (await isLimited(context, request, reply)) return reply;
    const { body } = request;
    const question = await findQuestion(context, body.token);
    if ('status' in question) return sendDead(reply, question);
    const read = readAnswers(question.calls, body);
    if ('fault' in read) return sendQuestion(reply, { token: body.token, question, fault: read.fault });
    const dead = await answer(context, question, read.responses);
    if (dead !== undefined) return sendDead(reply, dead);
    return sendPage(
      reply,
      200,
      saying('Thank you', 'Your answer is stored, and the run goes on. You can close this page.'),
    );
  });
}

/** Whether too many pages were opened from the address. Then it has answered. */
async function isLimited(
  { limitAnswers }: Pick<Context, 'limitAnswers'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  try {
    await limitAnswers(request, reply);
    return false;
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    sendDead(reply, { status: 429, title: 'Try again later', text: error.message });
    return true;
  }
}

/** Goes on with the run. Answers why that is not possible; undefined when it was. */
async function answer(
  { runs }: Pick<Context, 'runs'>,
  { accountId, wait }: Question,
  responses: readonly object[],
): Promise<DeadLink | undefined> {
  const { appName, userId, sessionId, invocationId, attempt } = wait;
  const name = { accountId, appName, userId, sessionId, invocationId };
  try {
    await runs.answerRun({ ...name, attempt, functionResponsesJson: encodeJson(responses) }, unary);
    return undefined;
  } catch (error) {
    return refusalOf(error);
  }
}

const answered = ['run_not_waiting', 'run_in_progress', 'answer_not_awaited'];

function refusalOf(error: unknown): DeadLink {
  const problem = error instanceof MeshError ? problemOf(error) : undefined;
  if (!(error instanceof MeshError) || problem === undefined || problem.status === 500) throw error;
  if (answered.includes(error.reason)) return answeredRun;
  return { status: problem.status, title: 'Your answer could not be stored', text: error.message };
}

interface Shown {
  readonly token: string;
  readonly question: Question;
  readonly fault?: string;
}

function sendQuestion(reply: FastifyReply, { token, question, fault }: Shown): FastifyReply {
  const { appName, sessionId } = question.wait;
  const page = answerPage({ appName, sessionId, token, calls: question.calls, fault });
  return sendPage(reply, fault === undefined ? 200 : 422, page);
}

function sendDead(reply: FastifyReply, { status, title, text }: DeadLink): FastifyReply {
  return sendPage(reply, status, saying(title, text));
}

function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return (
    reply
      .code(status)
      // Browsers send `Origin` with a form only under `same-origin`; other sites get no referrer.
      .headers({
        'content-security-policy': answerPagePolicy,
        'cache-control': 'no-store',
        'referrer-policy': 'same-origin',
      })
      .type('text/html; charset=utf-8')
      .send(html)
  );
}
