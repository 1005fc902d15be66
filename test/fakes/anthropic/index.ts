import type { IncomingMessage } from 'node:http';
import { demand, Refusal } from '../demand.ts';
import { type FakeBody, json, type ScriptedServer, sse, startScriptedServer } from '../scripted-server.ts';
import type { FakeMessage, FakeMessageError } from './answer.ts';
import { messageBody, messageFrames } from './message.ts';
import { type MessagesRequest, readMessagesRequest } from './request.ts';

/** A fake of the Anthropic messages API. It validates requests as strictly as the vendor. */
export interface FakeAnthropic extends ScriptedServer<MessagesRequest, FakeMessage | FakeMessageError> {
  /** Value for `ANTHROPIC_BASE_URL`, without `/v1`. */
  readonly baseUrl: string;
}

const versions = ['2023-06-01', '2026-10-21'];
const betas = ['structured-outputs-2025-11-13', 'pdfs-2024-09-25'];

/** Starts a fake on a free loopback port. Every request must carry this key, in the header of either the vendor's old or new clients. */
export async function startFakeAnthropic({ apiKey }: { readonly apiKey: string }): Promise<FakeAnthropic> {
  const server = await startScriptedServer<MessagesRequest, FakeMessage | FakeMessageError>({
    read: (request, body) => read(request, body, apiKey),
    print,
    ok: { blocks: [{ text: 'ok' }] },
  });
  return Object.assign(server, { baseUrl: server.origin });
}

function read(
  { method, url, headers }: IncomingMessage,
  body: string,
  apiKey: string,
): { right: MessagesRequest } | { wrong: FakeBody } | { aside: FakeBody } {
  try {
    const lists = method === 'GET' && url === '/v1/models?limit=1';
    demand(lists || (method === 'POST' && url?.split('?')[0] === '/v1/messages'), 'Not found', 404);
    const right = headers['x-api-key'] === apiKey || headers.authorization === `Bearer ${apiKey}`;
    demand(right, 'invalid x-api-key', 401);
    const version = headers['anthropic-version'];
    demand(version !== undefined, 'anthropic-version: header is required');
    demand(versions.includes(String(version)), `anthropic-version: "${String(version)}" is not a valid version`);
    if (lists) return { aside: json({ data: [{ type: 'model', id: 'claude-sonnet-4-5' }], has_more: true }) };
    const asked = String(headers['anthropic-beta'] ?? '').split(',');
    const unknown = asked.find((beta) => beta !== '' && !betas.includes(beta.trim()));
    demand(unknown === undefined, `Unexpected value(s) \`${unknown}\` for the \`anthropic-beta\` header.`);
    demand(headers['content-type']?.startsWith('application/json') === true, 'content-type: must be application/json');
    return { right: readMessagesRequest(body) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return {
      wrong: printError({ status: error.status, error: { type: typeOf(error.status), message: error.message } }),
    };
  }
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  return status === 404 ? 'not_found_error' : 'invalid_request_error';
}

function print(answer: FakeMessage | FakeMessageError, request: MessagesRequest): FakeBody {
  if ('error' in answer) return printError(answer);
  return request.stream ? sse(messageFrames(answer, request.model)) : json(messageBody(answer, request.model));
}

function printError({ status, error, headers }: FakeMessageError): FakeBody {
  return json({ type: 'error', error, request_id: 'req_1' }, status, headers);
}
