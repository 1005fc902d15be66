import type {
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodStreaming,
  DescMethodUnary,
  DescMessage,
  Message,
  MessageInitShape,
} from '@bufbuild/protobuf';
import { canceled, type Dispatch, newMessage, toMeshError } from '../call/index.ts';
import { type LocalOptions, localOrigin } from './local-origin.ts';
import { mapped } from './mapped.ts';

type Init = MessageInitShape<DescMessage>;

/** Calls the services of this process without serialising, past Connect's transports: a call makes few promises. */
export class LocalCalls {
  readonly #dispatch: Dispatch;
  readonly #caller: string;

  /** `caller` is the name of the service that calls. */
  constructor(dispatch: Dispatch, caller: string) {
    this.#dispatch = dispatch;
    this.#caller = caller;
  }

  /** The answer of a method that has one. Rejects with MeshError. */
  unary(method: DescMethodUnary, init: Init, options?: LocalOptions): Promise<Message> {
    try {
      return this.#dispatch.unary(method, newMessage(method.input, init), localOrigin(this.#caller, options));
    } catch (error) {
      return Promise.reject(toMeshError(error));
    }
  }

  /** The answers of a method. The call starts at once; what refuses it is told by the first read. */
  serverStream(method: DescMethodServerStreaming, init: Init, options?: LocalOptions): AsyncIterator<Message> {
    try {
      return this.#dispatch.stream(method, newMessage(method.input, init), localOrigin(this.#caller, options));
    } catch (error) {
      return { next: () => Promise.reject(toMeshError(error)) };
    }
  }

  /** The answer of a method whose caller streams. A caller whose input fails cancels its call. Rejects with MeshError. */
  clientStream(
    method: DescMethodClientStreaming,
    input: AsyncIterable<Init>,
    options?: LocalOptions,
  ): Promise<Message> {
    try {
      const origin = localOrigin(this.#caller, options);
      return this.#dispatch.unary(method, messagesOf(method, input), origin);
    } catch (error) {
      return Promise.reject(toMeshError(error));
    }
  }

  /** The answers of a method whose caller streams, likewise. */
  callerStream(method: DescMethodStreaming, input: AsyncIterable<Init>, options: LocalOptions): AsyncIterable<Message> {
    if (method.methodKind === 'client_streaming') throw new Error(`${method.name} has one answer: see clientStream`);
    const origin = localOrigin(this.#caller, options);
    const answers = this.#dispatch.stream(method, messagesOf(method, input), origin);
    return { [Symbol.asyncIterator]: () => answers };
  }
}

function messagesOf(method: DescMethodStreaming, input: AsyncIterable<Init>): AsyncIterable<Message> {
  return mapped(input, (init) => newMessage(method.input, init), canceled);
}
