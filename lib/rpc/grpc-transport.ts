import type { DescMessage, DescMethod, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { type CallOptions, type ClientReadableStream, Metadata, type ServiceError } from '@grpc/grpc-js';
import { effectiveTimeout, outgoingContext, REQUEST_ID, TRACEPARENT } from './call-origin.ts';
import type { ExchangeCall } from './exchange-call.ts';
import { ExchangeClient } from './exchange-client.ts';
import { abortFailure, canceled, internalError } from './failures.ts';
import { asIs, decode, encode } from './grpc-codec.ts';
import { openConnection } from './grpc-connection.ts';
import { RenewedConnection } from './renewed-connection.ts';
import { fromStatus } from './grpc-status.ts';
import { MESH_KEY, presentKey } from './mesh-credential.ts';
import { MeshError } from './mesh-error.ts';
import type { MeshTls } from './mesh-options.ts';
import { meshWord } from './mesh-word.ts';
import { MessageReader } from './message-reader.ts';
import { MessageWriter } from './message-writer.ts';
import { singleInput } from './single-input.ts';
import { streamResponse, unaryResponse } from './transport-response.ts';

export interface GrpcTransportOptions {
  url: string;
  key: string;
  tls?: MeshTls | undefined;
  /** After how long calls move on to a new connection, which may lead to other replicas; 5 minutes unless told. */
  connectionAgeMs?: number | undefined;
}

const fiveMinutesMs = 300_000;
const exchangeAgeMs = 10_000;
const largestShared = 64 * 1024;

interface CallSettings {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  readonly header: HeadersInit | undefined;
}

interface PreparedCall {
  path: string;
  metadata: Metadata;
  options: CallOptions;
  signal: AbortSignal | undefined;
  word: string;
}

/** Calls the services at one address over gRPC. Fails with MeshError; a service that is down fails at once. */
export class GrpcTransport implements Transport {
  readonly #connection: RenewedConnection;
  readonly #presentedKey: string;
  #current: ExchangeClient | undefined;
  #leaveAt = 0;

  constructor({ url, key, tls, connectionAgeMs = fiveMinutesMs }: GrpcTransportOptions) {
    this.#connection = new RenewedConnection({ open: () => openConnection({ url, tls }), maxAgeMs: connectionAgeMs });
    this.#presentedKey = presentKey(key);
  }

  readonly unary: Transport['unary'] = async (method, ...[signal, timeoutMs, header, input]) => {
    const call = { signal, timeoutMs, header };
    const request = encode(method.input, input);
    const answer = mayShare(request, header)
      ? await single(this.#share(method, request, call))
      : await this.#call(this.#prepare(method, call), request);
    return unaryResponse(method, decode(method.output, answer));
  };

  readonly stream: Transport['stream'] = async (method, ...[signal, timeoutMs, header, input]) => {
    const options = { signal, timeoutMs, header };
    if (method.methodKind === 'server_streaming') {
      const request = encode(method.input, await singleInput(input));
      if (mayShare(request, header)) {
        return streamResponse(method, decoded(method.output, this.#share(method, request, options)));
      }
      const call = this.#prepare(method, options);
      const stream = withoutStack(() =>
        this.#connection.client.makeServerStreamRequest(call.path, asIs, asIs, request, call.metadata, call.options),
      );
      return streamResponse(method, read(stream, method, call));
    }
    const call = this.#prepare(method, options);
    const { path, metadata, options: callOptions } = call;
    const stream = this.#connection.client.makeBidiStreamRequest(path, asIs, asIs, metadata, callOptions);
    const answers = read(stream, method, call);
    const over = new AbortController();
    stream.once('status', () => over.abort());
    send(leftWhen(over.signal, input), method.input, new MessageWriter(stream, over.signal)).then(
      () => stream.end(),
      (error: unknown) => {
        stream.cancel();
        answers.abort(canceled(error));
      },
    );
    return streamResponse(method, answers);
  };

  /** The usual way: over the stream that calls to this address share. */
  #share(method: DescMethod, request: Buffer, { signal, timeoutMs }: CallSettings): ExchangeCall {
    if (signal?.aborted) throw abortFailure(signal.reason);
    return this.#openExchange().call({
      method: `${method.parent.typeName}/${method.name}`,
      request,
      context: outgoingContext(undefined),
      timeoutMs: effectiveTimeout(timeoutMs),
      signal,
      word: meshWord(method.parent),
    });
  }

  /** A stream stays with one server, so it is left now and then: others get their share. */
  #openExchange(): ExchangeClient {
    const { client } = this.#connection;
    const current = this.#current;
    if (current !== undefined && current.client === client && !current.retired && Date.now() < this.#leaveAt)
      return current;
    current?.retire();
    const metadata = new Metadata();
    metadata.set(MESH_KEY, this.#presentedKey);
    this.#leaveAt = Date.now() + exchangeAgeMs;
    this.#current = withoutStack(() => new ExchangeClient(client, metadata));
    return this.#current;
  }

  /** Ends the connection; calls under way fail. */
  close(): void {
    this.#current?.retire();
    this.#connection.close();
  }

  #prepare(method: DescMethod, call: CallSettings): PreparedCall {
    if (call.signal?.aborted) throw abortFailure(call.signal.reason);
    const timeout = effectiveTimeout(call.timeoutMs);
    return {
      path: `/${method.parent.typeName}/${method.name}`,
      metadata: this.#metadata(call.header),
      options: timeout === undefined ? {} : { deadline: Date.now() + timeout },
      signal: call.signal,
      word: meshWord(method.parent),
    };
  }

  #metadata(headerInit: HeadersInit | undefined): Metadata {
    const metadata = new Metadata();
    const header = headerInit === undefined ? undefined : new Headers(headerInit);
    const { requestId, traceparent } = outgoingContext(header);
    try {
      header?.forEach((value, name) => metadata.set(name, value));
    } catch (cause) {
      throw new MeshError('invalid_argument', 'header_invalid', 'A header is not printable ASCII', { cause });
    }
    if (requestId !== undefined) metadata.set(REQUEST_ID, requestId);
    if (traceparent !== undefined) metadata.set(TRACEPARENT, traceparent);
    metadata.set(MESH_KEY, this.#presentedKey);
    return metadata;
  }

  #call({ path, metadata, options, signal, word }: PreparedCall, request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const settle = (error: ServiceError | null, answer?: Buffer): void => {
        signal?.removeEventListener('abort', onAbort);
        if (answer) resolve(answer);
        else reject(signal?.aborted ? abortFailure(signal.reason) : fromStatus(error, word));
      };
      const call = withoutStack(() =>
        this.#connection.client.makeUnaryRequest(path, asIs, asIs, request, metadata, options, settle),
      );
      const onAbort = (): void => call.cancel();
      signal?.addEventListener('abort', onAbort);
    });
  }
}

/** A large request would hold up others on the stream, and the stream carries no headers of single calls. */
function mayShare(request: Buffer, header: HeadersInit | undefined): boolean {
  return header === undefined && request.length <= largestShared;
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

/** grpc-js keeps the stack of every caller for errors whose stacks we do not show. */
function withoutStack<T>(start: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return start();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function read<O extends DescMessage>(
  stream: ClientReadableStream<Buffer>,
  method: DescMethod & { output: O },
  { signal, word }: PreparedCall,
): MessageReader<MessageShape<O>> {
  const reader = new MessageReader(stream, {
    parse: (bytes) => decode(method.output, bytes),
    toFailure: (error) => fromStatus(error, word),
  });
  const onAbort = (): void => {
    stream.cancel();
    reader.abort(abortFailure(signal?.reason));
  };
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort);
  stream.once('status', () => signal?.removeEventListener('abort', onAbort));
  return reader;
}

/** The input, left at once when the call is over: the next message may be long in coming. */
function leftWhen<T>(over: AbortSignal, input: AsyncIterable<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = input[Symbol.asyncIterator]();
      over.addEventListener('abort', () => void iterator.return?.().catch(() => undefined), { once: true });
      return iterator;
    },
  };
}

async function send<D extends DescMessage>(
  input: AsyncIterable<MessageInitShape<D>>,
  schema: D,
  writer: MessageWriter,
): Promise<void> {
  for await (const message of input) {
    if (writer.over) return;
    await writer.write(encode(schema, message));
  }
}
