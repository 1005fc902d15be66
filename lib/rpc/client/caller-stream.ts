import type { DescMessage, DescMethod, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { CallOptions, Client, ClientDuplexStream, ClientReadableStream, Metadata } from '@grpc/grpc-js';
import { abortFailure, canceled, meshWord } from '../call/index.ts';
import { decode, encode } from '../messages/index.ts';
import { asIs, fromStatus, MessageReader, MessageWriter, type Unanswered, unansweredOf } from '../wire/index.ts';
import { openAnswered, type OpenedStream } from './open-answered.ts';

export interface CallerStreamOptions<I extends DescMessage, O extends DescMessage> {
  readonly method: DescMethod & { input: I; output: O };
  readonly metadata: Metadata;
  /** Milliseconds from now. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly input: AsyncIterable<MessageInitShape<I>>;
}

interface Opened<T> extends OpenedStream {
  readonly stream: ClientDuplexStream<Buffer, Buffer>;
  readonly answers: MessageReader<T>;
  /** Aborts when the call is over. */
  readonly over: AbortSignal;
}

/** Calls a method whose caller streams: a gRPC stream of its own, which HTTP/2 slows down when the server is slow. `client` answers the present connection. */
export async function openCallerStream<I extends DescMessage, O extends DescMessage>(
  client: () => Client,
  options: CallerStreamOptions<I, O>,
): Promise<AsyncIterable<MessageShape<O>>> {
  const { method, timeoutMs, input } = options;
  const deadline = timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
  const { stream, answers, over } = await openAnswered(() => open(client(), deadline, options));
  send(leftWhen(over, input), method.input, new MessageWriter(stream, over)).then(
    () => stream.end(),
    (error: unknown) => {
      stream.cancel();
      answers.abort(canceled(error));
    },
  );
  return answers;
}

function open<I extends DescMessage, O extends DescMessage>(
  client: Client,
  deadline: CallOptions,
  { method, metadata, signal }: CallerStreamOptions<I, O>,
): Opened<MessageShape<O>> {
  const path = `/${method.parent.typeName}/${method.name}`;
  const stream = client.makeBidiStreamRequest(path, asIs, asIs, metadata.clone(), deadline);
  const over = new AbortController();
  const { promise: answered, resolve } = Promise.withResolvers<Unanswered | undefined>();
  stream.once('metadata', () => resolve(undefined));
  stream.once('status', (status) => {
    over.abort();
    resolve(unansweredOf(status));
  });
  const answers = read(stream, method, signal);
  return { stream, answers, over: over.signal, answered, abandon: () => stream.cancel() };
}

function read<O extends DescMessage>(
  stream: ClientReadableStream<Buffer>,
  method: DescMethod & { output: O },
  signal: AbortSignal | undefined,
): MessageReader<MessageShape<O>> {
  const reader = new MessageReader(stream, {
    parse: (bytes) => decode(method.output, bytes),
    toFailure: (error) => fromStatus(error, meshWord(method.parent)),
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

/** The input, left as soon as the call is over: its next message may take long. */
function leftWhen<T>(over: AbortSignal, input: AsyncIterable<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = input[Symbol.asyncIterator]();
      const leave = (): void => void iterator.return?.().catch(() => undefined);
      if (over.aborted) leave();
      else over.addEventListener('abort', leave, { once: true });
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
