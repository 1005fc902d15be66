import type { DescService } from '@bufbuild/protobuf';
import type { Client, ServiceImpl } from '@connectrpc/connect';

/**
 * How services reach each other. A service that runs in this process is called directly; any other over gRPC at its
 * address. Deadlines (`timeoutMs`) and cancellation (`signal`) pass on; errors arrive as MeshError on both paths.
 *
 * In one process caller and handler hold the same messages, so neither writes into one that it has handed over or was given.
 *
 * The end of a client stream does not say why it ended: when a call is canceled, gRPC ends its messages before it tells the server.
 * A method with a client stream therefore needs a last message that says that the stream is complete.
 *
 * The consumer of a stream owns an AbortController and aborts it in `finally`: leaving a `for await` does not cancel the call.
 */
export interface Mesh {
  /** A typed client. Cheap, and callable before the service is served: the route is chosen at each call. */
  client<S extends DescService>(service: S): Client<S>;
  /** Makes an implementation reachable in this process and, once `listen` was called, over gRPC. */
  serve<S extends DescService>(service: S, implementation: ServiceImpl<S>): void;
}
