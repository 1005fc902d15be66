import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as immediate } from 'node:timers/promises';

/** Bytes as they are: quirks, garbage, HTML, what breaks off. */
export interface FakeBody {
  readonly status?: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What follows the body: the end (default), a broken connection, or silence. */
  readonly after?: 'end' | 'break' | 'hang';
}

/** `hang` accepts the request and never answers; `break` drops the connection. */
export type FakeBytes = FakeBody | 'hang' | 'break';

/** An HTTP server that judges what it is asked and answers as it was told. */
export interface ScriptedServer<Request, Answer> extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** The requests that were found right, oldest first. */
  readonly requests: readonly Request[];
  /** How many requests came in, right or wrong. */
  readonly received: number;
  /** How many answers are still open: their caller has neither got the end nor gone. */
  readonly hanging: number;
  /** Queues what the next right requests are answered with, one each; then the fake says `ok`. */
  answer(...answers: readonly (Answer | FakeBytes)[]): void;
  /** Drops what is queued. */
  forget(): void;
}

export interface Script<Request, Answer> {
  /** Reads a request, or refuses it as the vendor does. */
  readonly read: (request: IncomingMessage, body: string) => { right: Request } | { wrong: FakeBody };
  readonly print: (answer: Answer, request: Request) => FakeBody;
  /** The answer when none is queued. */
  readonly ok: Answer;
}

/** Starts a server on a free port of the loopback. */
export async function startScriptedServer<Request, Answer extends object>({
  read,
  print,
  ok,
}: Script<Request, Answer>): Promise<ScriptedServer<Request, Answer>> {
  const requests: Request[] = [];
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
      requests.push(outcome.right);
      const answer = answers.shift() ?? ok;
      send(response, isBytes(answer) ? answer : print(answer, outcome.right));
    };
    // A client that goes away in the middle of its request needs no answer.
    void text(request).then(judge, () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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

/** Breaks a body where no client may count on it: within lines, and within characters. */
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
