import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FakeBody } from '../scripted-server.ts';

/** The server's behaviour for one request. */
export type Behaviour =
  /** Sends the regular answer. */
  | 'answer'
  /** Reads the request and never answers. */
  | 'hang'
  /** Reads the request and drops the connection. */
  | 'break'
  /** Reads nothing of the body and does not answer. */
  | 'stall'
  /** Answers at once, before the whole body has arrived. */
  | { readonly early: FakeBody }
  /** Reads the request and sends white space every 100 ms instead of the answer. */
  | 'drip'
  /** Sends white space every 100 ms, from the beginning of the request on, with this status. */
  | { readonly drip: number }
  /** Reads the request and sends this instead of the regular answer. */
  | FakeBody;

/** An upload, listed from its first byte on. */
export interface SeenUpload {
  /** Bytes of the body received so far. */
  readonly bytes: number;
  /** `broken`: the client disconnected before the body was complete or before the answer. */
  readonly state: 'arriving' | 'complete' | 'answered' | 'broken';
}

export interface AudioServer<Request> extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** The valid requests, oldest first. */
  readonly requests: readonly Request[];
  readonly uploads: readonly SeenUpload[];
  /** Sets the behaviour for the next requests, one each. Later requests get the regular answer. */
  behave(...behaviours: readonly Behaviour[]): void;
}

interface Script<Request> {
  /** Validates a complete request. Returns the request with its answer, or the refusal. */
  readonly judge: (
    request: IncomingMessage,
    body: Buffer<ArrayBuffer>,
  ) => Promise<{ readonly right: Request; readonly answer: FakeBody } | { readonly wrong: FakeBody }>;
}

/** Starts a server for uploads on a free loopback port. */
export async function startAudioServer<Request>({ judge }: Script<Request>): Promise<AudioServer<Request>> {
  const requests: Request[] = [];
  const uploads: { bytes: number; state: SeenUpload['state'] }[] = [];
  const behaviours: Behaviour[] = [];
  const server = createServer((request, response) => {
    const upload = { bytes: 0, state: 'arriving' as SeenUpload['state'] };
    uploads.push(upload);
    response.once('close', () => {
      upload.state = response.writableFinished ? 'answered' : 'broken';
    });
    const behaviour = behaviours.shift() ?? 'answer';
    if (behaviour === 'stall') return;
    if (typeof behaviour === 'object' && 'early' in behaviour) return send(response, behaviour.early);
    if (typeof behaviour === 'object' && 'drip' in behaviour) return drip(response, behaviour.drip);
    void readBody(request, upload).then(async (body) => {
      if (body === undefined) return;
      upload.state = 'complete';
      const judged = await judge(request, body);
      if ('right' in judged) requests.push(judged.right);
      if (behaviour === 'hang') return;
      if (behaviour === 'drip') drip(response, 200);
      else if (behaviour === 'break') response.destroy();
      else if (behaviour !== 'answer') send(response, behaviour);
      else send(response, 'right' in judged ? judged.answer : judged.wrong);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    uploads,
    behave: (...more) => void behaviours.push(...more),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Reads the body; undefined when the client disconnects before it is complete. */
async function readBody(request: IncomingMessage, upload: { bytes: number }): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      upload.bytes += chunk.length;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, { status = 200, contentType, headers = {}, body }: FakeBody): void {
  response.writeHead(status, { ...headers, 'content-type': contentType });
  response.end(body);
}

function drip(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 100);
  response.once('close', () => clearInterval(timer));
}
