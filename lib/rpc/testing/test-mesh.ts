import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import type { ServiceImpl } from '@connectrpc/connect';
import { createLogger, createMetrics, type Metrics } from '../../telemetry/index.ts';
import type { MeshNode, MeshOptions, MeshTls } from '../index.ts';
import { testIdentities } from './test-identities.ts';
import { type TestNode, testNode } from './test-node.ts';
import { unserved } from './unserved.ts';

export interface TestMesh extends AsyncDisposable {
  client: TestNode;
  server: TestNode;
  options: MeshOptions;
  implementations: {
    auth: ServiceImpl<typeof AuthService>;
    runs: ServiceImpl<typeof RunsService>;
    artifacts: ServiceImpl<typeof ArtifactsService>;
  };
  /** Lines logged by either node. */
  logged: Record<string, unknown>[];
  metrics: Metrics;
  /** Where the server listens; empty for a local mesh. */
  url: string;
}

export interface TestMeshOptions {
  auth?: Partial<ServiceImpl<typeof AuthService>>;
  runs?: Partial<ServiceImpl<typeof RunsService>>;
  artifacts?: Partial<ServiceImpl<typeof ArtifactsService>>;
  /** Both sides in one node; otherwise two nodes over gRPC. */
  local: boolean;
  tls?: MeshTls | undefined;
  clientOptions?: Partial<MeshOptions>;
  serverOptions?: Partial<MeshOptions>;
  /** Where the server listens; by default a port that the system chooses. */
  port?: number;
}

/**
 * A mesh that serves auth, runs and artifacts, and a node that calls them. Methods without an implementation answer `not_found
 * not_served`.
 */
export async function testMesh({ auth, runs, artifacts, local, tls, ...own }: TestMeshOptions): Promise<TestMesh> {
  const logged: Record<string, unknown>[] = [];
  const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>);
  const log = createLogger({ level: 'info', name: 'test', destination: { write } });
  const metrics = createMetrics({ processMetrics: false });
  const options: MeshOptions = { urls: {}, identities: testIdentities(), tls, log, metrics };
  const implementations = {
    auth: { ...unserved(AuthService), ...auth },
    runs: { ...unserved(RunsService), ...runs },
    artifacts: { ...unserved(ArtifactsService), ...artifacts },
  };
  const server = testNode({ ...options, ...own.serverOptions });
  server.serve(AuthService, implementations.auth);
  server.serve(RunsService, implementations.runs);
  server.serve(ArtifactsService, implementations.artifacts);
  const base = { server, options, implementations, logged, metrics };
  if (local) return { ...base, client: server, url: '', ...closing(server) };
  const { port } = await server.listen({ host: '127.0.0.1', port: own.port ?? 0 });
  const url = `http://127.0.0.1:${port}`;
  const client = testNode({ ...options, urls: { auth: url, runs: url, artifacts: url }, ...own.clientOptions });
  return { ...base, client, url, ...closing(client, server) };
}

function closing(...nodes: MeshNode[]): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      for (const node of nodes) await node[Symbol.asyncDispose]();
    },
  };
}
