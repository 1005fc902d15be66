import type { IncomingMessage } from 'node:http';
import { Refusal } from './demand.ts';
import type { FakeCompletion, FakeError } from './openai-answer.ts';
import { completionBody, completionFrames } from './openai-completion.ts';
import { type ChatRequest, readChatRequest } from './openai-request.ts';
import { type FakeBody, json, type ScriptedServer, sse, startScriptedServer } from './scripted-server.ts';

/** A fake of the OpenAI chat completions API. It validates requests as strictly as the vendor. */
export interface FakeOpenAi extends ScriptedServer<ChatRequest, FakeCompletion | FakeError> {
  /** Value for `OPENAI_BASE_URL`, ends in `/v1`. */
  readonly baseUrl: string;
}

/** Starts a fake on a free loopback port. With `apiKey`, every request must carry it as its bearer token. */
export async function startFakeOpenAi({ apiKey }: { readonly apiKey?: string } = {}): Promise<FakeOpenAi> {
  const server = await startScriptedServer<ChatRequest, FakeCompletion | FakeError>({
    read: (request, body) => read(request, body, apiKey),
    print,
    ok: { text: 'ok' },
  });
  return Object.assign(server, { baseUrl: `${server.origin}/v1` });
}

function read(
  request: IncomingMessage,
  body: string,
  apiKey: string | undefined,
): { right: ChatRequest } | { wrong: FakeBody } | { aside: FakeBody } {
  const lists = request.method === 'GET' && request.url === '/v1/models';
  if (!lists && (request.method !== 'POST' || request.url !== '/v1/chat/completions')) {
    return refusal(404, `Invalid URL (${request.method} ${request.url})`);
  }
  if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
    const given = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    return refusal(401, `Incorrect API key provided: ${given}.`, 'invalid_api_key');
  }
  if (lists) return { aside: json({ object: 'list', data: [{ id: 'gpt-5-mini', object: 'model' }] }) };
  if (!request.headers['content-type']?.startsWith('application/json'))
    return refusal(400, 'Unsupported content type.');
  try {
    return { right: readChatRequest(body) };
  } catch (error) {
    if (error instanceof Refusal) return refusal(error.status, error.message);
    throw error;
  }
}

function refusal(status: number, message: string, code: string | null = null): { wrong: FakeBody } {
  return { wrong: printError({ status, error: { message, code } }) };
}

function print(answer: FakeCompletion | FakeError, request: ChatRequest): FakeBody {
  if ('error' in answer) return printError(answer);
  if (request.stream) return sse(completionFrames(answer, request));
  return { contentType: 'application/json', body: completionBody(answer, request) };
}

function printError({ status, error, headers }: FakeError): FakeBody {
  return json({ error: { type: 'invalid_request_error', param: null, code: null, ...error } }, status, headers);
}
