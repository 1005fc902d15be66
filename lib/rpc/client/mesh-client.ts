import type { DescMessage, DescMethodServerStreaming, DescService, MessageShape } from '@bufbuild/protobuf';
import { type CallOptions, type Client, createClient, makeAnyClient, type Transport } from '@connectrpc/connect';

type StreamInput = Parameters<Transport['stream']>[4];

/**
 * Connect's client, with its server streams replaced. Connect creates a generator function for each stream. V8 allocates a hidden
 * class for it in the old space, which keeps everything that the function refers to until the next full collection: all
 * objects of a run. `mesh-client.heap.test.ts` measures this.
 */
export function createMeshClient<S extends DescService>(service: S, transport: Transport): Client<S> {
  const usual = createClient(service, transport) as Record<string, unknown>;
  return makeAnyClient(service, (method) =>
    method.methodKind === 'server_streaming'
      ? serverStream(method, transport)
      : (usual[method.localName] as () => unknown),
  ) as Client<S>;
}

function serverStream(method: DescMethodServerStreaming, transport: Transport) {
  return (request: unknown, options: CallOptions = {}): AsyncIterable<MessageShape<DescMessage>> => {
    const { signal, timeoutMs, headers } = options;
    const input = { [Symbol.asyncIterator]: () => new Single(request) } as StreamInput;
    const answers = new Answers(
      transport
        .stream(method, signal, timeoutMs, headers, input)
        .then(({ message }) => message[Symbol.asyncIterator]()),
    );
    return { [Symbol.asyncIterator]: () => answers };
  };
}

/** The answers of a call that is under way. Leaving the iteration does not cancel the call; its signal does. */
class Answers<T> implements AsyncIterator<T> {
  readonly #source: Promise<AsyncIterator<T>>;

  constructor(source: Promise<AsyncIterator<T>>) {
    this.#source = source;
    source.catch(() => undefined);
  }

  async next(): Promise<IteratorResult<T>> {
    return (await this.#source).next();
  }
}

class Single<T> implements AsyncIterator<T> {
  #item: { readonly value: T } | undefined;

  constructor(value: T) {
    this.#item = { value };
  }

  async next(): Promise<IteratorResult<T>> {
    const item = this.#item;
    this.#item = undefined;
    return item === undefined ? { done: true, value: undefined } : { done: false, value: item.value };
  }
}
