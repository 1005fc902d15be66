import type {
  DescMessage,
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  Message,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { codeOf, endWith, isTracing, startClientSpan, type WorkSpan } from '../../telemetry/index.ts';
import type { Dispatcher } from '../server/index.ts';
import {
  draining,
  MeshError,
  type MeshOptions,
  meshWord,
  spanOf,
  streamResponse,
  unaryResponse,
} from '../call/index.ts';
import type { GrpcTransport } from './grpc-transport.ts';
import { LocalCalls, type LocalOptions } from '../local/index.ts';
import type { Routes } from './mesh-client.ts';

type Init = MessageInitShape<DescMessage>;

export interface RoutingOptions extends Pick<MeshOptions, 'urls' | 'identities' | 'tls'> {
  /** Name of the service that calls. */
  readonly caller: string;
}

/** Picks at each call: this process if it serves the service, else the service's address. */
export class RoutingTransport implements Routes {
  readonly #dispatcher: Dispatcher;
  readonly #local: LocalCalls;
  readonly #options: RoutingOptions;
  readonly #remotes = new Map<string, GrpcTransport | Promise<GrpcTransport>>();
  #closed = false;

  constructor(dispatcher: Dispatcher, options: RoutingOptions) {
    this.#dispatcher = dispatcher;
    this.#local = new LocalCalls(dispatcher, options.caller);
    this.#options = options;
  }

  local(service: DescService): LocalCalls | undefined {
    return this.#dispatcher.serves(service) ? this.#local : undefined;
  }

  /** The answer of a method of another process. Rejects with MeshError. */
  readonly call = (method: DescMethodUnary, init: Init, options?: LocalOptions): Promise<Message> => {
    const span = isTracing() ? startClientSpan(spanOf(method)) : undefined;
    const send = (): Promise<Message> => {
      const remote = this.#remote(method.parent);
      return remote instanceof Promise
        ? remote.then((opened) => opened.call(method, init, options))
        : remote.call(method, init, options);
    };
    return span === undefined ? send() : endWith(span, span.run(send));
  };

  /** The answers of a method of another process. The call starts at once; what refuses it is told by the first read. */
  readonly answers = (
    method: DescMethodServerStreaming,
    init: Init,
    options?: LocalOptions,
  ): AsyncIterator<Message> => {
    const span = isTracing() ? startClientSpan(spanOf(method)) : undefined;
    const remote = this.#remote(method.parent);
    const open = (opened: GrpcTransport) => opened.answers(method, init, options);
    if (span === undefined) return remote instanceof Promise ? new OpenedAnswers(remote.then(open)) : open(remote);
    const opening = span.run(async () => open(await remote));
    const answers = new OpenedAnswers(endsIfRefused(span, opening));
    return endingWith(span, { [Symbol.asyncIterator]: () => answers });
  };

  /** Calls with one request go by `call` and `answers`. */
  readonly unary: Transport['unary'] = async (method, ...[signal, timeoutMs, headers, input]) => {
    const answer = await this.call(method, input, { signal, timeoutMs, headers });
    return unaryResponse(method, answer as MessageShape<typeof method.output>);
  };

  readonly stream: Transport['stream'] = async (method, ...[signal, timeoutMs, headers, input]) => {
    const local = this.local(method.parent);
    if (local) {
      const answers = local.callerStream(method, input, { signal, timeoutMs, headers });
      return streamResponse(method, answers as AsyncIterable<MessageShape<typeof method.output>>);
    }
    const span = isTracing() ? startClientSpan(spanOf(method)) : undefined;
    const open = async () => (await this.#remote(method.parent)).stream(method, signal, timeoutMs, headers, input);
    return span === undefined ? open() : withinSpan(span, span.run(open));
  };

  /** Ends every connection and refuses to make new ones. */
  close(): void {
    this.#closed = true;
    const close = (transport: GrpcTransport): void => transport.close();
    // The calls that wait for one that cannot be made are told.
    for (const remote of this.#remotes.values()) void Promise.resolve(remote).then(close, () => undefined);
  }

  #remote(service: DescService): GrpcTransport | Promise<GrpcTransport> {
    const word = meshWord(service);
    const url = this.#options.urls[word];
    if (this.#closed) return Promise.reject(draining());
    if (!url) return Promise.reject(unreachable(word));
    let remote = this.#remotes.get(url);
    if (!remote) {
      remote = this.#connect(url).then((opened) => {
        this.#remotes.set(url, opened);
        return opened;
      });
      this.#remotes.set(url, remote);
    }
    return remote;
  }

  async #connect(url: string): Promise<GrpcTransport> {
    const [{ GrpcTransport }, { createProof }] = await Promise.all([
      import('./grpc-transport.ts'),
      import('../identity/index.ts'),
    ]);
    const { caller, urls, identities, tls } = this.#options;
    const audience = Object.keys(urls).filter((word) => urls[word] === url);
    const proof = createProof({ caller, audience, identities, tls });
    return new GrpcTransport({ url, proof, caller, tls });
  }
}

/** The answers of a call that is being opened. */
class OpenedAnswers implements AsyncIterator<Message> {
  #answers: Promise<AsyncIterator<Message>> | AsyncIterator<Message>;

  constructor(answers: Promise<AsyncIterator<Message>>) {
    this.#answers = answers;
    // The first read tells.
    answers.catch(() => undefined);
  }

  next(): Promise<IteratorResult<Message>> {
    return this.#answers instanceof Promise ? this.#first(this.#answers) : this.#answers.next();
  }

  async #first(answers: Promise<AsyncIterator<Message>>): Promise<IteratorResult<Message>> {
    this.#answers = await answers;
    return this.#answers.next();
  }
}

/** The answers of a call, at whose end its span ends. */
async function withinSpan<R extends { readonly message: AsyncIterable<unknown> }>(span: WorkSpan, opened: Promise<R>) {
  const response = await endsIfRefused(span, opened);
  return { ...response, message: endingWith(span, response.message) };
}

/** Ends the span of a call that could not be opened. */
function endsIfRefused<T>(span: WorkSpan, opened: Promise<T>): Promise<T> {
  return opened.catch((error: unknown) => {
    span.end(codeOf(error));
    throw error;
  });
}

async function* endingWith<T>(span: WorkSpan, answers: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* answers;
  } catch (error) {
    span.end(codeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

function unreachable(word: string): MeshError {
  const variable = `MESH_${word.toUpperCase()}_URL`;
  return new MeshError(
    'unavailable',
    'service_unreachable',
    `The ${word} service does not run in this process and ${variable} is not set`,
  );
}
