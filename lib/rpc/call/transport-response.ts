import type { DescMessage, DescMethod, DescMethodStreaming, DescMethodUnary, MessageShape } from '@bufbuild/protobuf';
import type { StreamResponse, UnaryResponse } from '@connectrpc/connect';

/** An answer as Connect's clients expect it. Response headers and trailers are not carried; they read as empty. */
export function unaryResponse<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  message: MessageShape<O>,
): UnaryResponse<I, O> {
  return new Unary(method, message);
}

/** Like `unaryResponse`, for any number of answers. */
export function streamResponse<I extends DescMessage, O extends DescMessage>(
  method: DescMethodStreaming<I, O>,
  message: AsyncIterable<MessageShape<O>>,
): StreamResponse<I, O> {
  return new Stream(method, message);
}

/** A class, because V8 makes a slow dictionary of each object literal that has getters. */
class Bare<Method extends DescMethod, Answer> {
  readonly service;
  readonly method: Method;
  readonly message: Answer;

  constructor(method: Method, message: Answer) {
    this.service = method.parent;
    this.method = method;
    this.message = message;
  }

  get header(): Headers {
    return new Headers();
  }

  get trailer(): Headers {
    return new Headers();
  }
}

class Unary<I extends DescMessage, O extends DescMessage> extends Bare<DescMethodUnary<I, O>, MessageShape<O>> {
  readonly stream = false;
}

class Stream<I extends DescMessage, O extends DescMessage> extends Bare<
  DescMethodStreaming<I, O>,
  AsyncIterable<MessageShape<O>>
> {
  readonly stream = true;
}
