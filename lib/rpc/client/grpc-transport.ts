import type { DescMessage, DescMethod, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import type { Transport } from '@connectrpc/connect';
import { Metadata } from '@grpc/grpc-js';
import {
  abortFailure,
  effectiveTimeout,
  internalError,
  MeshError,
  type MeshTls,
  meshWord,
  outgoingContext,
  REQUEST_ID,
  singleInput,
  streamResponse,
  TRACEPARENT,
  unaryResponse,
} from '../call/index.ts';
import type { ExchangeCall } from '../exchange/index.ts';
import type { Proof } from '../identity/index.ts';
import { decode, encode } from '../wire/index.ts';
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

interface CallSettings {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  readonly header: HeadersInit | undefined;
}

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

  readonly unary: Transport['unary'] = async (method, ...[signal, timeoutMs, header, input]) => {
    const renewal = this.#proof.renewal();
    if (renewal !== undefined) await renewal;
    const answers = await this.#exchange(method, input, { signal, timeoutMs, header });
    return unaryResponse(method, decode(method.output, await single(answers)));
  };

  readonly stream: Transport['stream'] = async (method, ...[signal, timeoutMs, header, input]) => {
    const renewal = this.#proof.renewal();
    if (renewal !== undefined) await renewal;
    if (method.methodKind === 'server_streaming') {
      const answers = await this.#exchange(method, await singleInput(input), { signal, timeoutMs, header });
      return streamResponse(method, decoded(method.output, answers));
    }
    if (signal?.aborted) throw abortFailure(signal.reason);
    const metadata = this.#metadata(header);
    const call = { method, metadata, timeoutMs: effectiveTimeout(timeoutMs), signal, input };
    return streamResponse(method, await openCallerStream(() => this.#connection.client, call));
  };

  /** Ends the connection; calls under way fail. */
  close(): void {
    this.#addresses[Symbol.dispose]();
    this.#certificates?.[Symbol.dispose]();
    this.#exchanges.close();
    this.#connection.close();
  }

  #exchange<I extends DescMessage>(
    method: DescMethod & { input: I },
    input: MessageInitShape<I>,
    { signal, timeoutMs, header }: CallSettings,
  ): ExchangeCall | Promise<ExchangeCall> {
    if (signal?.aborted) throw abortFailure(signal.reason);
    const headers = header === undefined ? undefined : new Headers(header);
    return this.#exchanges.call({
      method: `${method.parent.typeName}/${method.name}`,
      request: encode(method.input, input),
      context: outgoingContext(headers),
      headers: headers && Object.fromEntries(headers),
      timeoutMs: effectiveTimeout(timeoutMs),
      signal,
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

async function single(answers: ExchangeCall): Promise<Buffer> {
  const { value } = await answers.next();
  if (value === undefined) throw internalError();
  answers.end();
  return value;
}

function decoded<O extends DescMessage>(schema: O, answers: ExchangeCall): AsyncIterable<MessageShape<O>> {
  const next = async (): Promise<IteratorResult<MessageShape<O>, undefined>> => {
    const { value } = await answers.next();
    return value === undefined ? { done: true, value } : { done: false, value: decode(schema, value) };
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
