import type {
  DescMessage,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  Message,
  MessageInitShape,
} from '@bufbuild/protobuf';
import { type CallOptions, type Client, createClient, makeAnyClient, type Transport } from '@connectrpc/connect';
import type { LocalCalls, LocalOptions } from '../local/index.ts';

type Init = MessageInitShape<DescMessage>;

/** The ways of a caller to services. Connect's transport is the way of callers that stream to other processes. */
export interface Routes extends Transport {
  /** Undefined for a service that this process does not serve. */
  local(service: DescService): LocalCalls | undefined;
  /** The answer of a method of another process. Rejects with MeshError. */
  call(method: DescMethodUnary, request: Init, options?: LocalOptions): Promise<Message>;
  /** The answers of a method of another process. The call starts at once; what refuses it is told by the first read. */
  answers(method: DescMethodServerStreaming, request: Init, options?: LocalOptions): AsyncIterator<Message>;
}

/**
 * Connect's client, with its calls of one request replaced: each makes a signal of what ends it and many promises, and for each stream a generator function. V8
 * allocates a hidden class for that in the old space, which keeps everything that the function refers to until the next full collection: all
 * objects of a run. `mesh-client.heap.test.ts` measures this.
 */
export function createMeshClient<S extends DescService>(service: S, routes: Routes): Client<S> {
  const usual = createClient(service, routes) as Record<string, unknown>;
  return makeAnyClient(service, (method) => {
    if (method.methodKind === 'server_streaming') return serverStream(method, routes);
    if (method.methodKind === 'unary') return unary(method, routes);
    const remote = usual[method.localName] as ClientStream;
    return method.methodKind === 'client_streaming' ? clientStream(method, routes, remote) : remote;
  }) as Client<S>;
}

function unary(method: DescMethodUnary, routes: Routes) {
  return (request: Init, options?: CallOptions): Promise<Message> =>
    routes.local(method.parent)?.unary(method, request, options) ?? routes.call(method, request, options);
}

type ClientStream = (requests: AsyncIterable<Init>, options?: CallOptions) => Promise<Message>;

function clientStream(method: DescMethodClientStreaming, routes: Routes, remote: ClientStream): ClientStream {
  return (requests, options) =>
    routes.local(method.parent)?.clientStream(method, requests, options) ?? remote(requests, options);
}

/** The answers of a call that is under way. Leaving the iteration does not cancel the call; its signal does. */
function serverStream(method: DescMethodServerStreaming, routes: Routes) {
  return (request: Init, options?: CallOptions): AsyncIterable<Message> => {
    const answers =
      routes.local(method.parent)?.serverStream(method, request, options) ?? routes.answers(method, request, options);
    return { [Symbol.asyncIterator]: () => answers };
  };
}
