import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FakeAnswer, FakeBody, FakeCompletion, FakeError } from './openai-answer.ts';
import { completionBody, completionFrames } from './openai-completion.ts';
import { type ChatRequest, readChatRequest } from './openai-request.ts';

/** A fake of the OpenAI chat completions API. Requests are judged as strictly as the vendor does. */
export interface FakeOpenAi extends AsyncDisposable {
  /** For `OPENAI_BASE_URL`: ends in `/v1`. */
  readonly baseUrl: string;
  /** The requests that were found right, oldest first. */
  readonly requests: readonly ChatRequest[];
  /** How many requests came in, right or wrong. */
  readonly received: number;
  /** How many answers are still open: their caller has neither got the end nor gone. */
  readonly hanging: number;
  /** Queues what the next requests are answered with, one each; without one the fake says `ok`. */
  answer(...answers: readonly FakeAnswer[]): void;
  /** Drops what is queued. */
  forget(): void;
}

/** Starts a fake on a free port of the loopback; with `apiKey` it asks every request for this bearer token. */
export async function startFakeOpenAi({ apiKey }: { readonly apiKey?: string } = {}): Promise<FakeOpenAi> {
  const requests: ChatRequest[] = [];
  const answers: FakeAnswer[] = [];
  let received = 0;
  let hanging = 0;
  const server = createServer((request, response) => {
    received += 1;
    hanging += 1;
    response.once('close', () => {
      hanging -= 1;
    });
    void read(request, apiKey).then((outcome) => {
      if ('error' in outcome) return sendError(response, outcome);
      requests.push(outcome);
      return send(response, answers.shift() ?? { text: 'ok' }, outcome);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    get received() {
      return received;
    },
    get hanging() {
      return hanging;
    },
    answer: (...more) => {
      answers.push(...more);
    },
    forget: () => {
      answers.length = 0;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(request: IncomingMessage, apiKey: string | undefined): Promise<ChatRequest | FakeError> {
  const body = await text(request);
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    return refusal(404, `Invalid URL (${request.method} ${request.url})`);
  }
  if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
    const given = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    return refusal(401, `Incorrect API key provided: ${given}.`, 'invalid_api_key');
  }
  if (!request.headers['content-type']?.startsWith('application/json'))
    return refusal(400, 'Unsupported content type.');
  try {
    return readChatRequest(body);
  } catch (error) {
    return refusal(400, error instanceof Error ? error.message : 'Bad request.');
  }
}

function refusal(status: number, message: string, code: string | null = null): FakeError {
  return { status, error: { message, type: 'invalid_request_error', param: null, code } };
}

function send(response: ServerResponse, answer: FakeAnswer, request: ChatRequest): void {
  if (answer === 'hang') return;
  if (answer === 'break') response.destroy();
  else if ('error' in answer) sendError(response, answer);
  else if ('body' in answer) sendBody(response, answer);
  else sendCompletion(response, answer, request);
}

function sendError(response: ServerResponse, { status, error, headers = {} }: FakeError): void {
  const body = JSON.stringify({ error: { type: 'invalid_request_error', param: null, code: null, ...error } });
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

function sendBody(response: ServerResponse, { status = 200, contentType, body, after = 'end' }: FakeBody): void {
  response.writeHead(status, { 'content-type': contentType });
  if (after === 'end') response.end(body);
  else response.write(body, () => void (after === 'break' && response.destroy()));
}

function sendCompletion(response: ServerResponse, answer: FakeCompletion, request: ChatRequest): void {
  if (!request.stream) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(completionBody(answer, request));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const frame of completionFrames(answer, request)) response.write(frame);
  response.end();
}
