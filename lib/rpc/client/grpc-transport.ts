import type {
  DescMessage,
  DescMethod,
  DescMethodServerStreaming,
  DescMethodUnary,
  Message,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import type { Transport } from '@connectrpc/connect';
import { Metadata } from '@grpc/grpc-js';
import {
  abortFailure,
  effectiveTimeout,
  internalError,
  madeOnce,
  MeshError,
  type MeshTls,
  meshWord,
  outgoingContext,
  REQUEST_ID,
  singleInput,
  streamResponse,
  toMeshError,
  TRACEPARENT,
  unaryResponse,
} from '../call/index.ts';
import type { ExchangeCall } from '../exchange/index.ts';
import type { Proof } from '../identity/index.ts';
import { CallUntil, type LocalOptions } from '../local/index.ts';
import { decode, encode } from '../messages/index.ts';
import { openCallerStream } from './caller-stream.ts';
import { Exchanges } from './exchanges.ts';
import { openConnection } from './grpc-connection.ts';
import { RenewedConnection } from './renewed-connection.ts';
import { watchAddresses } from './watch-addresses.ts';

export interface GrpcTransportOptions {
  url: string;
  proof: Proof;
  /** Name of the service that calls. */
  caller?: string | undefined;
  tls?: MeshTls | undefined;
  /** Age in milliseconds at which calls move to a new connection, which may lead to other replicas. Default: 5 minutes. */
  connectionAgeMs?: number | undefined;
}

const fiveMinutesMs = 300_000;

type Init = MessageInitShape<DescMessage>;

/**
 * Calls the services at one address. A call with one request goes over an exchange, a stream that calls share (docs/adr/0009); a
 * call whose caller streams is a gRPC stream. Fails with MeshError, at once when the service is down.
 */
export class GrpcTransport implements Transport {
  readonly #connection: RenewedConnection;
  readonly #exchanges: Exchanges;
  readonly #proof: Proof;
  readonly #caller: string | undefined;
  readonly #addresses: Disposable;
  readonly #certificates: Disposable | undefined;

  constructor({ url, proof, caller, tls, connectionAgeMs = fiveMinutesMs }: GrpcTransportOptions) {
    this.#connection = new RenewedConnection({ open: () => openConnection({ url, tls }), maxAgeMs: connectionAgeMs });
    this.#proof = proof;
    this.#caller = caller;
    this.#exchanges = new Exchanges(this.#connection, proof);
    this.#addresses = watchAddresses(url, () => this.#connection.renew());
    this.#certificates = tls?.onChange?.(() => this.#connection.renew());
  }

  readonly unary: Transport['unary'] = async (method, ...[signal, timeoutMs, headers, input]) => {
    const answer = await this.call(method, input, { signal, timeoutMs, headers });
    return unaryResponse(method, answer as MessageShape<typeof method.output>);
  };

  readonly stream: Transport['stream'] = async (method, ...[signal, timeoutMs, headers, input]) => {
    if (method.methodKind === 'server_streaming') {
      const given = this.answers(method, await singleInput(input), {
        signal,
        timeoutMs,
        headers,
      });
      const answers = given as AsyncIterator<MessageShape<typeof method.output>>;
      return streamResponse(method, { [Symbol.asyncIterator]: () => answers });
    }
    await this.#proof.renewal();
    if (signal?.aborted) throw abortFailure(signal.reason);
    const metadata = this.#metadata(headers);
    const call = { method, metadata, timeoutMs: effectiveTimeout(timeoutMs), signal, input };
    return streamResponse(method, await openCallerStream(() => this.#connection.client, call));
  };

  /** The answer of a method that has one. Rejects with MeshError. */
  async call(method: DescMethodUnary, init: Init, options?: LocalOptions): Promise<Message> {
    const opening = this.#open(method, init, options);
    const answers = opening instanceof Promise ? await opening : opening;
    const { value } = await answers.next();
    if (value === undefined) throw internalError();
    answers.end();
    return decode(method.output, value);
  }

  /** The answers of a method. The call starts at once; what refuses it is told by the first read. */
  answers(method: DescMethodServerStreaming, init: Init, options?: LocalOptions): AsyncIterator<Message> {
    return new Answers(method.output, this.#open(method, init, options));
  }

  /** Ends the connection; calls under way fail. */
  close(): void {
    this.#addresses[Symbol.dispose]();
    this.#certificates?.[Symbol.dispose]();
    this.#exchanges.close();
    this.#connection.close();
  }

  /** Rejects with MeshError where the call is over before it begins. */
  #open(method: DescMethod, init: Init, options?: LocalOptions): ExchangeCall | Promise<ExchangeCall> {
    const open = () => attempt(() => this.#exchange(method, init, options));
    return this.#proof.renewal()?.then(open) ?? open();
  }

  #exchange(method: DescMethod, init: Init, options: LocalOptions = {}): ExchangeCall | Promise<ExchangeCall> {
    const left = options instanceof CallUntil ? options.left : undefined;
    const signal = left === undefined ? options.signal : undefined;
    if (left?.ended !== undefined) throw abortFailure(left.ended);
    if (signal?.aborted) throw abortFailure(signal.reason);
    const headers = options.headers === undefined ? undefined : new Headers(options.headers);
    return this.#exchanges.call({
      method: pathOf(method),
      request: encode(method.input, init),
      context: outgoingContext(headers),
      headers: headers && Object.fromEntries(headers),
      timeoutMs: effectiveTimeout(options.timeoutMs),
      signal,
      left,
      word: meshWord(method.parent),
      caller: this.#caller,
      isRepeatable: method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN,
    });
  }

  #metadata(header: HeadersInit | undefined): Metadata {
    const metadata = new Metadata();
    const headers = header === undefined ? undefined : new Headers(header);
    const { requestId, traceparent } = outgoingContext(headers);
    try {
      headers?.forEach((value, name) => metadata.set(name, value));
    } catch (cause) {
      throw new MeshError('invalid_argument', 'header_invalid', 'A header is not printable ASCII', { cause });
    }
    if (requestId !== undefined) metadata.set(REQUEST_ID, requestId);
    if (traceparent !== undefined) metadata.set(TRACEPARENT, traceparent);
    this.#proof.present(metadata);
    return metadata;
  }
}

/** A promise that rejects with MeshError in place of a throw. */
function attempt<T>(work: () => T): T | Promise<never> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(toMeshError(error));
  }
}

/** `package.Service/Method`. */
const pathOf = madeOnce(({ parent, name }: DescMethod): string => `${parent.typeName}/${name}`);

/** The answers of a call. Leaving the iteration does not cancel the call; its signal does. */
class Answers implements AsyncIterator<Message, undefined> {
  readonly #type: DescMessage;
  #source: Promise<ExchangeCall> | ExchangeCall;

  constructor(type: DescMessage, source: Promise<ExchangeCall> | ExchangeCall) {
    this.#type = type;
    this.#source = source;
    // The first read tells.
    if (source instanceof Promise) source.catch(() => undefined);
  }

  async next(): Promise<IteratorResult<Message, undefined>> {
    if (this.#source instanceof Promise) this.#source = await this.#source;
    const { value } = await this.#source.next();
    return value === undefined ? { done: true, value } : { done: false, value: decode(this.#type, value) };
  }
}
