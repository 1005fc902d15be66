import type { Context } from '../../context.ts';
import { leavableCall, markReplayed } from '../../edge/idempotency/keyed-call.ts';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import { headerText, invocationHeader } from '../../edge/streams/invocation-header.ts';
import type { DoorRun } from '../road/start-run.ts';
import { type Http, markBegun } from './begin-run.ts';
import { type AwaitedCall, parseCallId } from './call-ids.ts';
import { isFields } from './content-parts.ts';
import { refusal } from './refusal.ts';
import type { Output } from './transcript.ts';

interface Answers {
  readonly appName: string;
  readonly userId: string;
  readonly outputs: readonly Output[];
  readonly idempotencyKey: string;
}

/** A run that goes on, and the calls that were answered. */
export interface AnsweredRun {
  readonly run: DoorRun;
  readonly answered: ReadonlySet<string>;
}

/** Answers calls that a run waits for: it goes on. Fails like RunsService.AnswerRun, with 400 when the calls are those of several runs. */
export async function answerRun(
  { runs, arriving }: Context,
  { request, reply }: Http,
  { appName, userId, outputs, idempotencyKey }: Answers,
): Promise<AnsweredRun> {
  const { accountId, grant } = request.identity;
  const calls = outputs.map(({ callId, output, place }) => ({ ...parseCallId(callId, place), output, place }));
  const { sessionId = '', invocationId = '' }: Partial<AwaitedCall> = calls[0] ?? {};
  const stranger = calls.find((call) => call.sessionId !== sessionId || call.invocationId !== invocationId);
  if (stranger !== undefined) throw refusal(stranger.place, 'The calls belong to several runs.');
  const run = { accountId, appName, userId, sessionId, invocationId };
  const responses = calls.map(({ functionCallId: id, name, output }) => ({ id, name, response: responseOf(output) }));
  const asked = {
    ...run,
    functionResponsesJson: encodeJson(responses),
    isBound: grant?.userId !== undefined,
    idempotencyKey,
  };
  const accepted = await runs.answerRun(asked, leavableCall(reply));
  arriving.leave(request);
  markBegun({ request, reply }, idempotencyKey);
  reply.header(invocationHeader, headerText(invocationId));
  markReplayed(reply, accepted);
  return { run, answered: new Set(responses.map(({ id }) => id)) };
}

/** Clients send text. An object in JSON is the answer itself, e.g. `{"confirmed": true}`. */
function responseOf(output: unknown): object {
  if (typeof output !== 'string') return { result: output };
  try {
    const json: unknown = JSON.parse(output);
    return isFields(json) ? json : { result: json };
  } catch {
    return { result: output };
  }
}
