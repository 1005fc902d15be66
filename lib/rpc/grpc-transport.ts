import type { DescMessage, DescMethod, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { type CallOptions, type ClientReadableStream, Metadata, type ServiceError } from '@grpc/grpc-js';
import { effectiveTimeout, outgoingContext, REQUEST_ID, TRACEPARENT } from './call-origin.ts';
import { abortFailure, canceled } from './failures.ts';
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

  constructor({ url, key, tls, connectionAgeMs = fiveMinutesMs }: GrpcTransportOptions) {
    this.#connection = new RenewedConnection({ open: () => openConnection({ url, tls }), maxAgeMs: connectionAgeMs });
    this.#presentedKey = presentKey(key);
  }

  readonly unary: Transport['unary'] = async (method, ...[signal, timeoutMs, header, input]) => {
    const call = this.#prepare(method, { signal, timeoutMs, header });
    const answer = await this.#exchange(call, encode(method.input, input));
    return unaryResponse(method, decode(method.output, answer));
  };

  readonly stream: Transport['stream'] = async (method, ...[signal, timeoutMs, header, input]) => {
    const call = this.#prepare(method, { signal, timeoutMs, header });
    const { path, metadata, options } = call;
    if (method.methodKind === 'server_streaming') {
      const request = encode(method.input, await singleInput(input));
      const stream = withoutStack(() =>
        this.#connection.client.makeServerStreamRequest(path, asIs, asIs, request, metadata, options),
      );
      return streamResponse(method, read(stream, method, call));
    }
    const stream = this.#connection.client.makeBidiStreamRequest(path, asIs, asIs, metadata, options);
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

  /** Ends the connection; calls under way fail. */
  close(): void {
    this.#connection.close();
  }

  #prepare(
    method: DescMethod,
    call: { signal: AbortSignal | undefined; timeoutMs: number | undefined; header: HeadersInit | undefined },
  ): PreparedCall {
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

  #exchange({ path, metadata, options, signal, word }: PreparedCall, request: Buffer): Promise<Buffer> {
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
