import type { DescMessage, DescMethodStreaming, DescMethodUnary, MessageShape } from '@bufbuild/protobuf';
import type { StreamResponse, UnaryResponse } from '@connectrpc/connect';

/** An answer as Connect's clients expect it. Response headers and trailers are not carried; they read as empty. */
export function unaryResponse<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  message: MessageShape<O>,
): UnaryResponse<I, O> {
  return {
    stream: false,
    service: method.parent,
    method,
    message,
    get header() {
      return new Headers();
    },
    get trailer() {
      return new Headers();
    },
  };
}

/** As `unaryResponse`, for any number of answers. */
export function streamResponse<I extends DescMessage, O extends DescMessage>(
  method: DescMethodStreaming<I, O>,
  message: AsyncIterable<MessageShape<O>>,
): StreamResponse<I, O> {
  return {
    stream: true,
    service: method.parent,
    method,
    message,
    get header() {
      return new Headers();
    },
    get trailer() {
      return new Headers();
    },
  };
}
