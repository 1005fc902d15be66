import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as immediate } from 'node:timers/promises';

/** An answer sent byte for byte, e.g. invalid JSON, HTML or a truncated body. */
export interface FakeBody {
  readonly status?: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** After the body: end the answer (default), break the connection, or stay silent. */
  readonly after?: 'end' | 'break' | 'hang';
}

/** `hang` accepts the request and never answers; `break` drops the connection. */
export type FakeBytes = FakeBody | 'hang' | 'break';

/** An HTTP server that validates requests and sends prepared answers. */
export interface ScriptedServer<Request, Answer> extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** The valid requests, oldest first. */
  readonly requests: readonly Request[];
  /** The headers of the valid requests, oldest first. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** Number of requests received, valid or not. */
  readonly received: number;
  /** Number of open answers: the client has not received the end and has not disconnected. */
  readonly hanging: number;
  /** Queues answers for the next valid requests, one each. With an empty queue the server sends `ok`. */
  answer(...answers: readonly (Answer | FakeBytes)[]): void;
  /** Empties the queue of answers. */
  forget(): void;
}

export interface Script<Request, Answer> {
  /** Validates a request; `wrong` is the vendor's error answer, `aside` its answer to a request that is none of the script's. */
  readonly read: (
    request: IncomingMessage,
    body: string,
  ) => { right: Request } | { wrong: FakeBody } | { aside: FakeBody };
  readonly print: (answer: Answer, request: Request) => FakeBody;
  /** The answer when the queue is empty. */
  readonly ok: Answer;
}

/** Starts a server on a free loopback port. */
export async function startScriptedServer<Request, Answer extends object>({
  read,
  print,
  ok,
}: Script<Request, Answer>): Promise<ScriptedServer<Request, Answer>> {
  const requests: Request[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const answers: (Answer | FakeBytes)[] = [];
  let received = 0;
  let hanging = 0;
  const server = createServer((request, response) => {
    received += 1;
    hanging += 1;
    response.once('close', () => {
      hanging -= 1;
    });
    const judge = (body: string): void => {
      const outcome = read(request, body);
      if ('wrong' in outcome) return send(response, outcome.wrong);
      if ('aside' in outcome) return send(response, outcome.aside);
      requests.push(outcome.right);
      headers.push(request.headers);
      const answer = answers.shift() ?? ok;
      send(response, isBytes(answer) ? answer : print(answer, outcome.right));
    };
    // A client that disconnects during its request needs no answer.
    void text(request).then(judge, () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    headers,
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

function isBytes(answer: object | 'hang' | 'break'): answer is FakeBytes {
  return typeof answer === 'string' || ('body' in answer && 'contentType' in answer);
}

function send(response: ServerResponse, answer: FakeBytes): void {
  if (answer === 'hang') return;
  if (answer === 'break') {
    response.destroy();
    return;
  }
  const { status = 200, contentType, headers = {}, body, after = 'end' } = answer;
  response.writeHead(status, { ...headers, 'content-type': contentType });
  if (after === 'end') void sendPieces(response, Buffer.from(body));
  else response.write(body, () => void (after === 'break' && response.destroy()));
}

const pieceBytes = 61;

/** Splits a body at places that a client must tolerate: within lines and within characters. */
async function sendPieces(response: ServerResponse, body: Buffer): Promise<void> {
  for (let at = 0; at < body.length; at += pieceBytes) {
    response.write(body.subarray(at, at + pieceBytes));
    await immediate();
  }
  response.end();
}

/** A JSON body. */
export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): FakeBody {
  return { status, contentType: 'application/json', headers, body: JSON.stringify(body) };
}

/** A body of server-sent events. */
export function sse(frames: readonly string[]): FakeBody {
  return { contentType: 'text/event-stream; charset=utf-8', body: frames.join('') };
}
