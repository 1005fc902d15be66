import { ExchangeRequestSchema, type ExchangeResponse, ExchangeResponseSchema } from '@agentmesh/proto/mesh/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Client, ClientDuplexStream, Metadata } from '@grpc/grpc-js';
import { ExchangeCall, type OutgoingCall, type SendElsewhere } from './exchange-call.ts';
import { MessageSender, TAKES_SEVERAL } from './message-sender.ts';
import { internalError, isMeshCode, type MeshError, toMeshError } from '../call/index.ts';
import { asBuffer, decode, encode } from '../messages/index.ts';
import { asIs, fromService, fromStatus, type Unanswered, unansweredOf, unavailable } from '../wire/index.ts';

export const EXCHANGE_PATH = '/agentmesh.mesh.v1.CallsService/Exchange';

/** A method that no server has: each version answers a call of it at once. */
const QUESTION = 'agentmesh.mesh.v1.CallsService/Question';

type RequestKind = NonNullable<MessageInitShape<typeof ExchangeRequestSchema>['kind']>;

/** Why a stream is over, for the calls on it; `refused`: the server was leaving and has begun none of them. */
type Failure = ((word: string) => MeshError) | 'refused';

/** The caller's end of one stream of calls to one server. */
export class ExchangeClient {
  readonly client: Client;
  /** Monotonic time in milliseconds. */
  readonly openedAt = performance.now();
  readonly #stream: ClientDuplexStream<Buffer, Buffer>;
  readonly #sender: MessageSender;
  readonly #calls = new Map<number, ExchangeCall>();
  #nextId = 1;
  #retired = false;
  #hasJoined = false;
  readonly #answered = Promise.withResolvers<Unanswered | undefined>();
  /** Why the stream is over. */
  #failure: Failure | undefined;
  /** Messages received so far. */
  #received = 0;
  /** Messages that had been received at the last look. */
  #seen = 0;
  #isAsked = false;
  /** Looks in a row at which it had not answered. */
  #silences = 0;

  constructor(client: Client, metadata: Metadata) {
    this.client = client;
    metadata.set(TAKES_SEVERAL, '1');
    this.#stream = client.makeBidiStreamRequest(EXCHANGE_PATH, asIs, asIs, metadata, {});
    this.#sender = new MessageSender(this.#stream, (together) => encode(ExchangeRequestSchema, { together }));
    this.#stream.once('metadata', (told) => this.#join(told));
    this.#stream.on('data', (bytes: Buffer) => this.#receive(bytes));
    this.#stream.once('status', () => this.onClosed?.());
    this.#stream.on('error', (error) => this.#fail((word) => fromStatus(error, word), unansweredOf(error)));
    this.#stream.on('end', () => this.#fail(unavailable, 'broken'));
  }

  /** Whether it accepts no more calls: it is retired, refused one, or is broken. */
  get retired(): boolean {
    return this.#retired;
  }

  /** Resolves when the server has answered for the first time, or the stream is over. */
  get answered(): Promise<Unanswered | undefined> {
    return this.#answered.promise;
  }

  /** Called when the server has answered for the first time: it is there. */
  onJoined: (() => void) | undefined;

  /** Called when the server says that it leaves. It serves calls for some time yet. */
  onFarewell: (() => void) | undefined;

  /** Called when the stream is over. */
  onClosed: (() => void) | undefined;

  /** Whether another server could take its calls. */
  hasOther: (() => boolean) | undefined;

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

  /**
   * Asks a server that has said nothing since the last look, and owes answers, whether it is there. To be called from time to time. Returns at how many looks in a
   * row it had not even answered that: it is frozen, its machine is gone, or its thread is busy.
   */
  look(): number {
    if (this.#received !== this.#seen) this.#seen = this.#received;
    else if (this.#isAsked) this.#silences += 1;
    else if (this.#calls.size > 0) this.#ask();
    return this.#silences;
  }

  /** Whether it has not answered when it was asked whether it is there. */
  get isSilent(): boolean {
    return this.#silences > 0;
  }

  /** Takes it for silent until it answers, because another stream to the same server is. */
  suspect(): void {
    if (this.#isAsked) return;
    this.#ask();
    this.#silences = 1;
  }

  #ask(): void {
    this.#isAsked = true;
    this.#send(this.#nextId++, { case: 'call', value: { method: QUESTION } });
  }

  /** Sends calls that may be repeated to other servers. The rest waits for its deadline: it may have had its effect. */
  moveCalls(): void {
    for (const [id, call] of this.#calls) {
      if (!call.mayMove) continue;
      this.#calls.delete(id);
      call.move(true);
    }
    this.#endIfLeft();
  }

  /** Fails the calls whose answers have begun, so that their readers go on elsewhere. */
  failStreams(): void {
    for (const call of this.#calls.values()) if (call.hasAnswer) call.abandon();
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

  /** `elsewhere` is asked to carry the call when the server refuses it. */
  call(call: OutgoingCall, elsewhere: SendElsewhere): ExchangeCall {
    const running = new ExchangeCall(call, elsewhere);
    this.carry(running);
    return running;
  }

  carry(running: ExchangeCall): void {
    const id = this.#nextId++;
    const receivedBefore = this.#received;
    running.carriedBy({
      credit: (bytes) => this.#send(id, { case: 'credit', value: { bytes } }),
      onLeft: () => this.#send(id, { case: 'cancel', value: {} }),
      onEnd: (failure) => {
        this.#leave(id);
        // A server that said nothing at all while a deadline passed may be frozen. Later calls go elsewhere.
        if (failure?.code === 'deadline_exceeded' && this.#received === receivedBefore) this.retire();
      },
    });
    this.#calls.set(id, running);
    if (this.#failure !== undefined) return this.#failCall(running, this.#failure);
    const { method, request, context, headers = {} } = running.call;
    const { requestId = '', traceparent = '' } = context;
    const value = { method, request, timeoutMs: running.leftMs ?? 0, headers, requestId, traceparent };
    this.#send(id, { case: 'call', value });
  }

  #send(id: number, kind: RequestKind): void {
    this.#sender.send(encode(ExchangeRequestSchema, { id, kind }));
  }

  /** Messages for a call that its caller has left are dropped. */
  #receive(bytes: Buffer): void {
    this.#received += 1;
    this.#isAsked = false;
    this.#silences = 0;
    let responses: readonly ExchangeResponse[];
    try {
      responses = readTogether(bytes);
    } catch (error) {
      return this.#breakOff(toMeshError(error));
    }
    for (const response of responses) this.#take(response);
  }

  /** The answers of its calls may be among the bytes that are no message. */
  #breakOff(failure: MeshError): void {
    this.#fail(() => failure, 'broken');
    this.#stream.cancel();
  }

  #take({ id, kind, databaseMs, modelMs }: ExchangeResponse): void {
    const call = this.#calls.get(id);
    if (databaseMs > 0 || modelMs > 0) call?.noteSpent(databaseMs, modelMs);
    switch (kind.case) {
      case 'answer':
        return call?.answer(asBuffer(kind.value));
      case 'end':
        return call?.end();
      case 'failure': {
        const { code, reason, message } = kind.value;
        return call?.end(isMeshCode(code) ? fromService({ code, reason, message }, call.call.word) : internalError());
      }
      case 'refused':
        this.#leave(id);
        this.retire();
        return call?.refused();
      case 'farewell':
        return this.onFarewell?.();
      case undefined:
        return call?.end(internalError());
    }
  }

  #join(told: Metadata): void {
    this.#hasJoined = true;
    this.#sender.takesSeveral = told.get(TAKES_SEVERAL).length > 0;
    this.#answered.resolve(undefined);
    this.onJoined?.();
  }

  #leave(id: number): void {
    this.#calls.delete(id);
    this.#endIfLeft();
  }

  #endIfLeft(): void {
    if (this.#retired) this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    if (this.#calls.size === 0) this.#sender.end();
  }

  #fail(failure: (word: string) => MeshError, unanswered: Unanswered | undefined): void {
    this.#retired = true;
    this.#failure ??= unanswered === 'refused' && !this.#hasJoined ? 'refused' : failure;
    this.#answered.resolve(unanswered);
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    const moves = unanswered === 'broken' && this.hasOther?.() === true;
    for (const call of calls) {
      if (moves && call.mayMove) call.move(false);
      else this.#failCall(call, this.#failure);
    }
  }

  #failCall(call: ExchangeCall, failure: Failure): void {
    if (failure === 'refused') call.refused();
    else call.end(failure(call.call.word));
  }
}

/** Throws MeshError for bytes that are no message. */
function readTogether(bytes: Buffer): readonly ExchangeResponse[] {
  const response = decode(ExchangeResponseSchema, bytes);
  if (response.together.length === 0) return [response];
  // Copies, so that a message that is kept keeps no others.
  return response.together.map((one) => decode(ExchangeResponseSchema, Buffer.from(one)));
}
