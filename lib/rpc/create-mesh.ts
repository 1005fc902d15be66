import type { DescService } from '@bufbuild/protobuf';
import type { Client, ServiceImpl } from '@connectrpc/connect';
import { Dispatcher } from './dispatcher.ts';
import type { GrpcServer } from './grpc-server.ts';
import type { Mesh } from './mesh.ts';
import { createMeshClient } from './mesh-client.ts';
import type { MeshOptions } from './mesh-options.ts';
import { RoutingTransport } from './routing-transport.ts';

/** The mesh of one process, with what only the process itself does. */
export interface MeshNode extends Mesh, AsyncDisposable {
  /** Opens the gRPC server; what is or will be served is reachable there. Port 0 takes any free one. Once per node. */
  listen(address: { host: string; port: number }): Promise<{ port: number }>;
  /**
   * Health turns NOT_SERVING and calls from other processes are refused; calls within the process still pass, for work in
   * flight needs them. Resolves when nothing is in flight; what still is after `deadlineMs` is ended.
   */
  drain(deadlineMs: number): Promise<void>;
}

/** Disposing closes the listener and all connections, and refuses every further call; drain first. */
export function createMesh(options: MeshOptions): MeshNode {
  const { key, previousKeys = [], tls, log, metrics } = options;
  const dispatcher = new Dispatcher({ log, metrics });
  const transport = new RoutingTransport(dispatcher, options);
  const services: DescService[] = [];
  let server: GrpcServer | undefined;
  return {
    client: <S extends DescService>(service: S): Client<S> => createMeshClient(service, transport),
    serve: <S extends DescService>(service: S, implementation: ServiceImpl<S>): void => {
      dispatcher.add(service, implementation);
      services.push(service);
      server?.add(service);
    },
    listen: async ({ host, port }) => {
      // grpc-js costs 165 ms and 23 MB: a process without neighbours does not load it.
      const { GrpcServer } = await import('./grpc-server.ts');
      if (server) throw new Error('The mesh listens already');
      server = new GrpcServer({ dispatcher, keys: [key, ...previousKeys], tls });
      for (const service of services) server.add(service);
      return { port: await server.listen(host, port) };
    },
    drain: async (deadlineMs) => {
      server?.drain(deadlineMs);
      await dispatcher.inFlight.drain(deadlineMs);
    },
    [Symbol.asyncDispose]: async () => {
      dispatcher.close();
      await dispatcher.inFlight.drain(0);
      transport.close();
      await server?.close();
    },
  };
}
