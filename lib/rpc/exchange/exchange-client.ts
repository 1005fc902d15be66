import { ExchangeRequestSchema, ExchangeResponseSchema } from '@agentmesh/proto/mesh/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Client, ClientDuplexStream, Metadata } from '@grpc/grpc-js';
import { ExchangeCall, type OutgoingCall } from './exchange-call.ts';
import { internalError, isMeshCode, type MeshError } from '../call/index.ts';
import { asBuffer, asIs, decode, encode, fromService, fromStatus, isDraining, unavailable } from '../wire/index.ts';

export const EXCHANGE_PATH = '/agentmesh.mesh.v1.CallsService/Exchange';

type RequestKind = NonNullable<MessageInitShape<typeof ExchangeRequestSchema>['kind']>;

/** The caller's end of one stream of calls to one server. */
export class ExchangeClient {
  readonly client: Client;
  /** Monotonic time in milliseconds. */
  readonly openedAt = performance.now();
  readonly #stream: ClientDuplexStream<Buffer, Buffer>;
  readonly #calls = new Map<number, ExchangeCall>();
  #nextId = 1;
  #retired = false;
  #hasJoined = false;
  readonly #answered = Promise.withResolvers<'refused' | undefined>();
  /** Why the stream is over. */
  #failure: ((word: string) => MeshError) | undefined;
  /** Messages received so far. */
  #received = 0;

  constructor(client: Client, metadata: Metadata) {
    this.client = client;
    this.#stream = client.makeBidiStreamRequest(EXCHANGE_PATH, asIs, asIs, metadata, {});
    this.#stream.once('metadata', () => this.#join());
    this.#stream.on('data', (bytes: Buffer) => this.#receive(bytes));
    this.#stream.on('error', (error) => this.#fail((word) => fromStatus(error, word), isDraining(error)));
    this.#stream.on('end', () => this.#fail(unavailable));
  }

  /** Whether it accepts no more calls: it is retired, got a farewell, or is broken. */
  get retired(): boolean {
    return this.#retired;
  }

  /** Resolves when the server has answered for the first time, or the stream is broken; `refused`: the server is leaving. */
  get answered(): Promise<'refused' | undefined> {
    return this.#answered.promise;
  }

  /** Called when the server has answered for the first time: it is there. */
  onJoined: (() => void) | undefined;

  /** Address of the server; known when it has answered. */
  get peer(): string {
    return this.#stream.getPeer();
  }

  /** Number of calls under way. */
  get outstanding(): number {
    return this.#calls.size;
  }

  /** Gives the stream up when the server has not answered by now. */
  retireUnlessJoined(): void {
    if (!this.#hasJoined) this.retire();
  }

  /** Takes no more calls. The stream ends with the last call under way. */
  retire(): void {
    this.#retired = true;
    this.#endWhenIdle();
  }

  /** Gives up a stream that carries no call. */
  abandon(): void {
    this.#retired = true;
    this.#stream.cancel();
  }

  call(call: OutgoingCall): ExchangeCall {
    const id = this.#nextId++;
    const receivedBefore = this.#received;
    const running = new ExchangeCall({
      call,
      credit: (bytes) => this.#send(id, { case: 'credit', value: { bytes } }),
      onLeft: () => this.#send(id, { case: 'cancel', value: {} }),
      onEnd: (failure) => {
        this.#calls.delete(id);
        // A server that said nothing at all while a deadline passed may be frozen. Later calls go elsewhere.
        const isMissed = failure?.code === 'deadline_exceeded' && this.#received === receivedBefore;
        if (isMissed) this.retire();
        else if (this.#retired) this.#endWhenIdle();
      },
    });
    this.#calls.set(id, running);
    if (this.#failure !== undefined) {
      running.end(this.#failure(call.word));
      return running;
    }
    const { method, request, context, headers = {}, timeoutMs = 0 } = call;
    this.#send(id, { case: 'call', value: { method, request, timeoutMs, headers, ...context } });
    return running;
  }

  #send(id: number, kind: RequestKind): void {
    this.#stream.write(encode(ExchangeRequestSchema, { id, kind }));
  }

  /** Messages for a call that its caller has left are dropped. */
  #receive(bytes: Buffer): void {
    this.#received += 1;
    const { id, kind } = decode(ExchangeResponseSchema, bytes);
    const call = this.#calls.get(id);
    switch (kind.case) {
      case 'answer':
        return call?.answer(asBuffer(kind.value));
      case 'end':
        return call?.end();
      case 'failure': {
        const { code, reason, message } = kind.value;
        return call?.end(isMeshCode(code) ? fromService({ code, reason, message }, call.word) : internalError());
      }
      case 'farewell':
        return this.retire();
      case undefined:
        return call?.end(internalError());
    }
  }

  #join(): void {
    this.#hasJoined = true;
    this.#answered.resolve(undefined);
    this.onJoined?.();
  }

  #endWhenIdle(): void {
    if (this.#calls.size === 0) this.#stream.end();
  }

  #fail(failure: (word: string) => MeshError, isRefused = false): void {
    this.#retired = true;
    this.#failure = failure;
    this.#answered.resolve(isRefused ? 'refused' : undefined);
    for (const call of this.#calls.values()) call.end(failure(call.word));
  }
}
