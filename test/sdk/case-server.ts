import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { CaseAnswer, CaseFrame, CaseRequest, CaseStep, CaseStream, ClientCase } from './cases.ts';

/** A server that plays the steps of a conformance case: sdk/cases/README.md. */
export class CaseServer implements AsyncDisposable {
  /** Differences between the requests and the case. */
  readonly faults: string[] = [];
  requests = 0;
  readonly #steps: CaseStep[];
  readonly #server: Server;
  /** After how many bytes the first connection of a stream is cut, in place of `cuts`. */
  readonly #cutAt: number | undefined;
  #hasCut = false;
  #before: IncomingMessage | undefined;

  private constructor(steps: readonly CaseStep[], cutAt: number | undefined) {
    this.#steps = [...steps];
    this.#cutAt = cutAt;
    this.#server = createServer((request, response) => {
      request.resume();
      request.once('end', () => void this.#play(request, response));
    });
  }

  static async start(steps: readonly CaseStep[], cutAt?: number): Promise<CaseServer> {
    const server = new CaseServer(steps, cutAt);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Steps that were not asked for. */
  get left(): number {
    return this.#steps.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await once(this.#server.close(), 'close');
  }

  async #play(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    const [step] = this.#steps;
    if (step === undefined) {
      this.faults.push(`${request.method} ${request.url} was not awaited`);
      response.writeHead(500).end('{"detail":"not awaited"}');
      return;
    }
    this.#check(request, step.request);
    this.#before = request;
    if (step.stream === undefined) {
      this.#steps.shift();
      await answer(response, step.answer ?? { status: 200 });
    } else if (this.#stream(request, response, step.stream)) this.#steps.shift();
  }

  #check({ method, url, headers }: IncomingMessage, wanted: CaseRequest = {}): void {
    const told = { method, path: url };
    for (const name of ['method', 'path'] as const)
      if (wanted[name] !== undefined && wanted[name] !== told[name])
        this.faults.push(`${name} ${told[name]} instead of ${wanted[name]}`);
    for (const [name, value] of Object.entries(wanted.headers ?? {})) {
      const had = value === 'same' ? this.#before?.headers[name] : headers[name];
      const isRight =
        headers[name] !== undefined && headers[name] === (value === 'same' || value === '…' ? had : value);
      if (!isRight) this.faults.push(`${name} was ${String(headers[name])} instead of ${value}`);
    }
  }

  /** Sends the frames behind the place of the client, up to a cut. True when the last one was sent. */
  #stream({ headers }: IncomingMessage, response: ServerResponse, stream: CaseStream): boolean {
    const { frames, cuts, replays = false } = stream;
    const known = replays ? -1 : frames.findIndex(({ id }) => id !== undefined && id === headers['last-event-id']);
    const rest = frames.slice(known + 1);
    const bytes = Buffer.from(rest.map((frame) => printFrame(frame, stream.eol)).join(''));
    // Where each connection is cut, it brings at least one frame: else the client would not come further.
    const each = Math.max(Number(cuts), Buffer.byteLength(printFrame(rest[0] ?? {}, stream.eol)));
    const cutAt =
      cuts === 'everyByte' ? (this.#hasCut ? undefined : this.#cutAt) : cuts === undefined ? undefined : each;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (cutAt === undefined || cutAt >= bytes.length) {
      response.end(bytes);
      return true;
    }
    this.#hasCut = true;
    response.write(bytes.subarray(0, cutAt), () => response.destroy());
    return false;
  }
}

/** The text of a frame. */
export function printFrame({ id, event, data, comment, retry }: CaseFrame, eol = '\n'): string {
  if (comment !== undefined) return `:${comment}${eol}${eol}`;
  if (retry !== undefined) return `retry: ${retry}${eol}${eol}`;
  const lines = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    `data: ${JSON.stringify(data)}`,
  ];
  return lines.join(eol) + eol + eol;
}

/** Lengths at which the first connection of the case's stream is cut; `undefined` for a case without such cuts. */
export function cutsOf({ server }: ClientCase): (number | undefined)[] {
  const stream = server.find((step) => step.stream?.cuts === 'everyByte')?.stream;
  if (stream === undefined) return [undefined];
  const text = stream.frames.map((frame) => printFrame(frame, stream.eol)).join('');
  return Array.from({ length: Buffer.byteLength(text) - 1 }, (_, at) => at + 1);
}

async function answer(
  response: ServerResponse,
  { status, headers, body, text, cutAt, pieces = 1, destroy }: CaseAnswer,
) {
  if (destroy === true) return void response.destroy();
  const bytes = Buffer.from(text ?? (body === undefined ? '' : JSON.stringify(body)));
  response.writeHead(status ?? 200, { ...headers, ...(status !== 204 && { 'content-length': bytes.length }) });
  if (cutAt !== undefined) return void response.write(bytes.subarray(0, cutAt), () => response.destroy());
  const length = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += length) {
    response.write(bytes.subarray(at, at + length));
    await turn();
  }
  response.end();
}
