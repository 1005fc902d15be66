import type { IncomingMessage } from 'node:http';
import { demand, Refusal } from '../demand.ts';
import { type FakeBody, json, type ScriptedServer, sse, startScriptedServer } from '../scripted-server.ts';
import type { FakeBlock, FakeCandidate, FakeGeminiError } from './answer.ts';
import { type GeminiRequest, readGeminiRequest } from './request.ts';
import { responseBody, responseFrames } from './response.ts';

type Answer = FakeCandidate | FakeBlock | FakeGeminiError;

/** A fake of the Gemini API. It validates requests as strictly as the vendor. */
export interface FakeGemini extends ScriptedServer<GeminiRequest, Answer> {
  /** Value for `GEMINI_BASE_URL`, without `/v1beta`. */
  readonly baseUrl: string;
}

/** Starts a fake on a free loopback port. Every request must carry this key. */
export async function startFakeGemini({ apiKey }: { readonly apiKey: string }): Promise<FakeGemini> {
  const server = await startScriptedServer<GeminiRequest, Answer>({
    read: (request, body) => read(request, body, apiKey),
    print,
    ok: { parts: [{ text: 'ok' }] },
  });
  return Object.assign(server, { baseUrl: server.origin });
}

const path = /^\/v1beta\/models\/([^/:?]+):(generateContent|streamGenerateContent\?alt=sse)$/;

function read(
  { method, url = '', headers }: IncomingMessage,
  body: string,
  apiKey: string,
): { right: GeminiRequest } | { wrong: FakeBody } | { aside: FakeBody } {
  const key = headers['x-goog-api-key'];
  if (key !== undefined && key !== apiKey) return { wrong: printError(wrongKey) };
  try {
    demand(key !== undefined, "Method doesn't allow unregistered callers (callers without established identity).", 403);
    if (method === 'GET' && url === '/v1beta/models?pageSize=1')
      return { aside: json({ models: [{ name: 'models/x' }] }) };
    const [, model = '', action = ''] = path.exec(url) ?? [];
    demand(method === 'POST' && model !== '', `Not found: ${url}`, 404);
    demand(headers['content-type']?.startsWith('application/json') === true, 'Invalid content type.');
    return { right: readGeminiRequest(body, { model, stream: action.startsWith('stream') }) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status: code, message } = error;
    return { wrong: printError({ error: { code, message, status: statuses.get(code) ?? 'INVALID_ARGUMENT' } }) };
  }
}

const statuses = new Map([
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
]);

const wrongKey: FakeGeminiError = {
  error: {
    code: 400,
    message: 'API key not valid. Please pass a valid API key.',
    status: 'INVALID_ARGUMENT',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
    ],
  },
};

function print(answer: Answer, request: GeminiRequest): FakeBody {
  if ('error' in answer) return printError(answer);
  return request.stream ? sse(responseFrames(answer, request.model)) : json(responseBody(answer, request.model));
}

function printError({ error, headers }: FakeGeminiError): FakeBody {
  return json({ error }, error.code, headers);
}
