import type {
  DescMessage,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  Message,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { type CallOptions, type Client, createClient, makeAnyClient, type Transport } from '@connectrpc/connect';
import type { LocalCalls } from '../local/index.ts';

/** The ways of a caller to services: past the transport to those of this process. */
export interface Routes extends Transport {
  /** Undefined for a service that this process does not serve. */
  local(service: DescService): LocalCalls | undefined;
}

type Init = MessageInitShape<DescMessage>;
type StreamInput = Parameters<Transport['stream']>[4];

/**
 * Connect's client, with its server streams replaced, and its calls within the process. Connect creates a generator function for each stream. V8
 * allocates a hidden class for it in the old space, which keeps everything that the function refers to until the next full collection: all
 * objects of a run. `mesh-client.heap.test.ts` measures this.
 */
export function createMeshClient<S extends DescService>(service: S, routes: Routes): Client<S> {
  const usual = createClient(service, routes) as Record<string, unknown>;
  return makeAnyClient(service, (method) => {
    if (method.methodKind === 'server_streaming') return serverStream(method, routes);
    const remote = usual[method.localName];
    if (method.methodKind === 'client_streaming') return clientStream(method, routes, remote as ClientStream);
    return method.methodKind === 'unary' ? unary(method, routes, remote as Unary) : (remote as Unary);
  }) as Client<S>;
}

type Unary = (request: Init, options?: CallOptions) => Promise<Message>;

function unary(method: DescMethodUnary, routes: Routes, remote: Unary): Unary {
  return (request, options) => routes.local(method.parent)?.unary(method, request, options) ?? remote(request, options);
}

type ClientStream = (requests: AsyncIterable<Init>, options?: CallOptions) => Promise<Message>;

function clientStream(method: DescMethodClientStreaming, routes: Routes, remote: ClientStream): ClientStream {
  return (requests, options) =>
    routes.local(method.parent)?.clientStream(method, requests, options) ?? remote(requests, options);
}

function serverStream(method: DescMethodServerStreaming, routes: Routes) {
  return (request: Init, options: CallOptions = {}): AsyncIterable<MessageShape<DescMessage>> => {
    const answers =
      routes.local(method.parent)?.serverStream(method, request, options) ??
      remoteStream(method, routes, request, options);
    return { [Symbol.asyncIterator]: () => answers };
  };
}

function remoteStream(
  method: DescMethodServerStreaming,
  transport: Transport,
  request: Init,
  { signal, timeoutMs, headers }: CallOptions,
): AsyncIterator<Message> {
  const input = { [Symbol.asyncIterator]: () => new Single(request) } as StreamInput;
  const opened = transport.stream(method, signal, timeoutMs, headers, input);
  return new Answers(opened.then(({ message }) => message[Symbol.asyncIterator]()));
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
