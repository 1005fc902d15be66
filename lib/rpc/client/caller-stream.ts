import type { DescMessage, DescMethod, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { Client, ClientReadableStream, Metadata } from '@grpc/grpc-js';
import { abortFailure, canceled, meshWord } from '../call/index.ts';
import { asIs, decode, encode, fromStatus, MessageReader, MessageWriter } from '../wire/index.ts';

export interface CallerStreamOptions<I extends DescMessage, O extends DescMessage> {
  readonly method: DescMethod & { input: I; output: O };
  readonly metadata: Metadata;
  /** Milliseconds from now. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly input: AsyncIterable<MessageInitShape<I>>;
}

/** Calls a method whose caller streams: a gRPC stream of its own, which HTTP/2 slows down when the server is slow. */
export function openCallerStream<I extends DescMessage, O extends DescMessage>(
  client: Client,
  { method, metadata, timeoutMs, signal, input }: CallerStreamOptions<I, O>,
): AsyncIterable<MessageShape<O>> {
  const path = `/${method.parent.typeName}/${method.name}`;
  const deadline = timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
  const stream = client.makeBidiStreamRequest(path, asIs, asIs, metadata, deadline);
  const answers = read(stream, method, signal);
  const over = new AbortController();
  stream.once('status', () => over.abort());
  send(leftWhen(over.signal, input), method.input, new MessageWriter(stream, over.signal)).then(
    () => stream.end(),
    (error: unknown) => {
      stream.cancel();
      answers.abort(canceled(error));
    },
  );
  return answers;
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
