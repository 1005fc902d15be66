import type { DescService } from '@bufbuild/protobuf';
import type { Client, ServiceImpl } from '@connectrpc/connect';
import { createGrpcServer, Dispatcher, type GrpcServer } from './server/index.ts';
import type { Mesh } from './mesh.ts';
import { createMeshClient, RoutingTransport } from './client/index.ts';
import { type MeshOptions, meshWord } from './call/index.ts';

/** The mesh of one process. Only the process itself listens, drains and disposes; each service gets a `Mesh` of its own. */
export interface MeshNode extends AsyncDisposable {
  /** The mesh as one service sees it: its clients call in the name of that service. */
  as(caller: string): Mesh;

  /** The services that clients have been made for, and that this process neither serves nor has an address of; each with one caller. */
  missing(): { caller: string; called: string }[];
  /** The faults of the grants of consumers for services of this process, as sentences. */
  grantFaults(): string[];

  /** Opens the gRPC server for every service that is or will be served. Port 0 takes any free one. At most once per node. */
  listen(address: { host: string; port: number }): Promise<{ port: number }>;
  /**
   * Health turns NOT_SERVING, and other processes are asked to send their calls elsewhere; those that come all the same are served. Resolves when no
   * caller is left, at once where no other process calls, and after `mostMs` at the latest. Connections are broken after `deadlineMs`.
   */
  leave(mostMs: number, deadlineMs: number): Promise<void>;
  /**
   * Health turns NOT_SERVING and calls from other processes are refused. Calls within the process still pass, because work in
   * flight needs them. Resolves when nothing is in flight; calls that still are after `deadlineMs` are aborted.
   */
  drain(deadlineMs: number): Promise<void>;
}

/** Disposing closes the listener and all connections, and refuses every further call; drain first. */
export function createMesh(options: MeshOptions): MeshNode {
  const dispatcher = new Dispatcher(options);
  const transports = new Map<string, RoutingTransport>();
  const services: DescService[] = [];
  const callerOf = new Map<DescService, string>();
  let server: GrpcServer | undefined;
  const transportOf = (caller: string): RoutingTransport => {
    const transport = transports.get(caller) ?? new RoutingTransport(dispatcher, { ...options, caller });
    transports.set(caller, transport);
    return transport;
  };
  const serve = <S extends DescService>(service: S, implementation: ServiceImpl<S>): void => {
    dispatcher.add(service, implementation);
    services.push(service);
    server?.add(service);
  };
  return {
    as: (caller) => ({
      client: <S extends DescService>(service: S): Client<S> => {
        callerOf.set(service, caller);
        return createMeshClient(service, transportOf(caller));
      },
      serve,
    }),
    missing: () => {
      const away = [...callerOf].filter(([service]) => !dispatcher.serves(service));
      const named = away.map(([service, caller]) => ({ caller, called: meshWord(service) }));
      return named.filter(({ called }) => options.urls[called] === undefined);
    },
    grantFaults: () => dispatcher.grantFaults(services),
    listen: async ({ host, port }) => {
      const opened = await createGrpcServer({ ...options, dispatcher }, options.reflection ? services : []);
      if (server) throw new Error('The mesh listens already');
      server = opened;
      for (const service of services) opened.add(service);
      return { port: await opened.listen(host, port) };
    },
    leave: async (mostMs, deadlineMs) => server?.leave(mostMs, deadlineMs),
    drain: async (deadlineMs) => {
      server?.drain(deadlineMs);
      await dispatcher.inFlight.drain(deadlineMs);
    },
    [Symbol.asyncDispose]: async () => {
      dispatcher.close();
      await dispatcher.inFlight.drain(0);
      for (const transport of transports.values()) transport.close();
      await server?.close();
    },
  };
}
