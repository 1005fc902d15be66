import type { DescMessage, DescMethodStreaming, DescMethodUnary, MessageShape } from '@bufbuild/protobuf';
import type { StreamResponse, UnaryResponse } from '@connectrpc/connect';

/** An answer as Connect's clients expect it. Response headers and trailers are not carried; they read as empty. */
export function unaryResponse<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  message: MessageShape<O>,
): UnaryResponse<I, O> {
  return new Unary(method, message);
}

/** As `unaryResponse`, for any number of answers. */
export function streamResponse<I extends DescMessage, O extends DescMessage>(
  method: DescMethodStreaming<I, O>,
  message: AsyncIterable<MessageShape<O>>,
): StreamResponse<I, O> {
  return new Stream(method, message);
}

/** Classes: V8 makes a dictionary of each literal that has getters. */
class Bare {
  get header(): Headers {
    return new Headers();
  }

  get trailer(): Headers {
    return new Headers();
  }
}

class Unary<I extends DescMessage, O extends DescMessage> extends Bare implements UnaryResponse<I, O> {
  readonly stream = false;
  readonly service;
  readonly method: DescMethodUnary<I, O>;
  readonly message: MessageShape<O>;

  constructor(method: DescMethodUnary<I, O>, message: MessageShape<O>) {
    super();
    this.service = method.parent;
    this.method = method;
    this.message = message;
  }
}

class Stream<I extends DescMessage, O extends DescMessage> extends Bare implements StreamResponse<I, O> {
  readonly stream = true;
  readonly service;
  readonly method: DescMethodStreaming<I, O>;
  readonly message: AsyncIterable<MessageShape<O>>;

  constructor(method: DescMethodStreaming<I, O>, message: AsyncIterable<MessageShape<O>>) {
    super();
    this.service = method.parent;
    this.method = method;
    this.message = message;
  }
}
