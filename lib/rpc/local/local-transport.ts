import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import {
  abortFailure,
  type CallOrigin,
  canceled,
  outgoingContext,
  singleInput,
  streamResponse,
  unaryResponse,
  withContext,
  type Dispatch,
  type Input,
} from '../call/index.ts';
import { copyMessage } from './copy-message.ts';

/** Calls the services of this process without serialising. Messages are copied, so neither side sees the other's changes. */
export class LocalTransport implements Transport {
  readonly #dispatch: Dispatch;
  readonly #caller: string;

  /** `caller` is the name of the service whose calls it carries. */
  constructor(dispatch: Dispatch, caller: string) {
    this.#dispatch = dispatch;
    this.#caller = caller;
  }

  readonly unary: Transport['unary'] = async (method, ...[signal, timeoutMs, header, input]) => {
    const origin = localOrigin(this.#caller, { signal, timeoutMs, header });
    const answer = await this.#dispatch.unary(method, copyMessage(method.input, input), origin);
    return unaryResponse(method, copyMessage(method.output, answer));
  };

  readonly stream: Transport['stream'] = async (method, ...[signal, timeoutMs, header, input]) => {
    const origin = localOrigin(this.#caller, { signal, timeoutMs, header });
    const request: Input =
      method.methodKind === 'server_streaming'
        ? copyMessage(method.input, await singleInput(input))
        : copies(method.input, input, canceled);
    const messages =
      method.methodKind === 'client_streaming'
        ? once(() => this.#dispatch.unary(method, request, origin))
        : this.#dispatch.stream(method, request, origin);
    return streamResponse(method, copies(method.output, iterable(messages)));
  };
}

interface LocalCall {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  readonly header: HeadersInit | undefined;
}

function localOrigin(caller: string, { signal, timeoutMs, header }: LocalCall): CallOrigin {
  if (signal?.aborted) throw abortFailure(signal.reason);
  const given = header === undefined ? undefined : new Headers(header);
  const context = outgoingContext(given);
  return {
    protocolName: 'local',
    caller,
    context,
    header: () => withContext(given ?? new Headers(), context),
    timeoutMs,
    signal,
  };
}

function iterable<T>(iterator: AsyncIterator<T, undefined>): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => iterator };
}

/** The single answer of a client stream, as a stream. The call starts at once. */
function once<T>(call: () => Promise<T>): AsyncIterator<T, undefined> {
  let answer: Promise<T> | undefined = call();
  answer.catch(() => undefined);
  return {
    next: async () => {
      if (!answer) return { done: true, value: undefined };
      const value = await answer;
      answer = undefined;
      return { done: false, value };
    },
  };
}

function asIs(error: unknown): Error {
  return error as Error;
}

/** Copies each message; what the source throws passes through `toFailure`: a caller whose input fails cancels its call. */
function copies<D extends DescMessage>(
  schema: D,
  source: AsyncIterable<unknown>,
  toFailure: (error: unknown) => Error = asIs,
): AsyncIterable<MessageShape<D>> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = source[Symbol.asyncIterator]();
      return {
        next: async () => {
          const result = await iterator.next().catch((error: unknown) => Promise.reject(toFailure(error)));
          return result.done ? { done: true, value: undefined } : { value: copyMessage(schema, result.value) };
        },
        return: async () => {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
