import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { CallOrigin } from './call-origin.ts';

/** The request of a handler: one message, or the messages of a client stream as they arrive. */
export type Input = Message | AsyncIterable<Message>;

/** Runs the handlers of this process. Every transport passes its calls to it. */
export interface Dispatch {
  /** Calls a method with one answer. Rejects with MeshError. */
  unary(method: DescMethod, input: Input, origin: CallOrigin): Promise<Message>;
  /** Calls a method with any number of answers. It starts at once and runs one answer ahead. Throws and rejects with MeshError. */
  stream(method: DescMethod, input: Input, origin: CallOrigin): AsyncIterator<Message, undefined>;
}
