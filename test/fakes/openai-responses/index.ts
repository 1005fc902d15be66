import type { IncomingMessage } from 'node:http';
import { demand, Refusal } from '../demand.ts';
import { type FakeBody, json, type ScriptedServer, sse, startScriptedServer } from '../scripted-server.ts';
import type { FakeResponse, FakeResponseError } from './answer.ts';
import { type ResponsesRequest, readResponsesRequest } from './request.ts';
import { responseBody, responseFrames } from './response.ts';

/** A fake of the OpenAI responses API. It validates requests as strictly as the vendor. */
export interface FakeResponses extends ScriptedServer<ResponsesRequest, FakeResponse | FakeResponseError> {
  /** Value for `OPENAI_BASE_URL`, ends in `/v1`. */
  readonly baseUrl: string;
}

/** Starts a fake on a free loopback port. Every request must carry this bearer token. */
export async function startFakeResponses({ apiKey }: { readonly apiKey: string }): Promise<FakeResponses> {
  const server = await startScriptedServer<ResponsesRequest, FakeResponse | FakeResponseError>({
    read: (request, body) => read(request, body, apiKey),
    print,
    ok: { items: [{ text: 'ok' }] },
  });
  return Object.assign(server, { baseUrl: `${server.origin}/v1` });
}

function read(
  { method, url, headers }: IncomingMessage,
  body: string,
  apiKey: string,
): { right: ResponsesRequest } | { wrong: FakeBody } {
  try {
    demand(method === 'POST' && url === '/v1/responses', `Invalid URL (${method} ${url})`, 404);
    demand(headers.authorization === `Bearer ${apiKey}`, 'Incorrect API key provided.', 401);
    demand(headers['content-type']?.startsWith('application/json') === true, 'Unsupported content type.');
    return { right: readResponsesRequest(body) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { wrong: printError({ status: error.status, error: { message: error.message } }) };
  }
}

function print(answer: FakeResponse | FakeResponseError, request: ResponsesRequest): FakeBody {
  if ('error' in answer) return printError(answer);
  return request.stream ? sse(responseFrames(answer, request.model)) : json(responseBody(answer, request.model));
}

function printError({ status, error, headers }: FakeResponseError): FakeBody {
  return json({ error: { type: 'invalid_request_error', param: null, code: null, ...error } }, status, headers);
}
