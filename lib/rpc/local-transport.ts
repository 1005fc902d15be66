import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { type CallOrigin, outgoingContext, withContext } from './call-origin.ts';
import { copyMessage } from './copy-message.ts';
import type { Dispatcher, Input } from './dispatcher.ts';
import { abortFailure, canceled } from './failures.ts';
import { singleInput } from './single-input.ts';
import { streamResponse, unaryResponse } from './transport-response.ts';

/** Calls the services of this process without serialising. Messages are copied, so neither side sees the other's changes. */
export class LocalTransport implements Transport {
  readonly #dispatcher: Dispatcher;

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  readonly unary: Transport['unary'] = async (method, ...[signal, timeoutMs, header, input]) => {
    const origin = localOrigin(signal, timeoutMs, header);
    const answer = await this.#dispatcher.unary(method, copyMessage(method.input, input), origin);
    return unaryResponse(method, copyMessage(method.output, answer));
  };

  readonly stream: Transport['stream'] = async (method, ...[signal, timeoutMs, header, input]) => {
    const origin = localOrigin(signal, timeoutMs, header);
    const request: Input =
      method.methodKind === 'server_streaming'
        ? copyMessage(method.input, await singleInput(input))
        : copies(method.input, input, canceled);
    const messages =
      method.methodKind === 'client_streaming'
        ? once(() => this.#dispatcher.unary(method, request, origin))
        : this.#dispatcher.stream(method, request, origin);
    return streamResponse(method, copies(method.output, iterable(messages)));
  };
}

function localOrigin(
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
  headerInit: HeadersInit | undefined,
): CallOrigin {
  if (signal?.aborted) throw abortFailure(signal.reason);
  const given = headerInit === undefined ? undefined : new Headers(headerInit);
  const context = outgoingContext(given);
  return {
    protocolName: 'local',
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
