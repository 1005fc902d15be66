import type { Context } from '../../../context.ts';
import { endUserOf } from '../../road/end-user.ts';
import { answerRun } from '../answer-run.ts';
import { beginRun, type Http } from '../begin-run.ts';
import { refusal } from '../refusal.ts';
import { transcriptOf } from '../transcript.ts';
import { findResponse } from './find-response.ts';
import { saidIn } from './input-items.ts';
import type { Watched } from './response-answer.ts';
import { conversationOf, type ResponseRequest } from './response-record.ts';

interface Creation {
  readonly body: ResponseRequest;
  readonly key: string;
}

/** Starts the run of a response. An input that ends with outputs of calls answers the run that waits for them. */
export async function beginResponse(context: Context, http: Http, { body, key }: Creation): Promise<Watched> {
  const { model: appName, input, instructions, metadata, stream, background } = body;
  const { accountId } = http.request.identity;
  const userId = endUserOf(http.request.identity, body.user ?? body.safety_identifier);
  const transcript = transcriptOf(saidIn(input, instructions), ['input']);
  if ('outputs' in transcript) {
    const { outputs } = transcript;
    const { run, answered } = await answerRun(context, http, { appName, userId, outputs, idempotencyKey: key });
    return { run, functionCallId: [...answered][0] };
  }
  const sessionId = conversationOf(body) ?? (await previousSession(context, { accountId, userId, body }));
  const asked = {
    appName,
    userId,
    sessionId,
    transcript,
    idempotencyKey: key,
    streaming: stream === true || background === true,
  };
  const run = await beginRun(context, http, { ...asked, ...(metadata && { customMetadata: metadata }) });
  return { run, functionCallId: undefined };
}

interface Previous {
  readonly accountId: string;
  readonly userId: string;
  readonly body: ResponseRequest;
}

/** The session of the previous response; undefined for none. */
async function previousSession(context: Context, { body, ...owner }: Previous): Promise<string | undefined> {
  const { previous_response_id: id, model } = body;
  if (id === undefined || id === null) return undefined;
  const { run } = await findResponse(context, owner, id);
  if (run.appName !== model) throw refusal(['previous_response_id'], 'The previous response is one of another model.');
  return run.sessionId;
}
