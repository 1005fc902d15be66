import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root, words } from '../deployed-settings.ts';
import { findKubernetes } from '../programs/kubernetes-programs.ts';
import { chart, chosen, helm } from '../programs/rendered-chart.ts';
import { type KubernetesServer, startKubernetes } from './kubernetes-server.ts';
import { completeJobs, listOf, makePod, type Workload } from './stand-in.ts';

const isFull = process.env.VERIFY === 'full';
const programs = isFull && helm !== undefined ? findKubernetes() : undefined;
const level = 'pod-security.kubernetes.io';

/** A whole configuration: every kind that the chart makes. Monitoring needs definitions of the Prometheus operator. */
const whole = {
  ingress: { enabled: true, host: 'mesh.example.com', tlsSecret: 'tls' },
  services: {
    auth: {
      env: { DEFAULT_SUPERADMIN_EMAIL: 'ada@example.com' },
      secretEnv: { DEFAULT_SUPERADMIN_PASSWORD: 'DEFAULT_SUPERADMIN_PASSWORD' },
    },
    gateway: { env: { GATEWAY_TRUSTED_PROXIES: '10.0.0.0/8' } },
    runs: { autoscaling: { enabled: true, targetQueuedRuns: 10 } },
    transcription: { replicas: 0 },
  },
  meshTls: { existingSecret: 'mesh-tls' },
  agents: { files: { 'echo/root_agent.yaml': 'name: echo' } },
  s3: { enabled: true },
};

describe.skipIf(programs === undefined)('the chart at an API server whose namespace enforces `restricted`', () => {
  let server: KubernetesServer;
  const ended = new AbortController();
  let jobs: Promise<string[]>;

  beforeAll(async () => {
    server = await startKubernetes(programs as NonNullable<typeof programs>);
    const labels = { [`${level}/enforce`]: 'restricted', [`${level}/warn`]: 'restricted' };
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'mesh', labels } });
    await server.call('POST', '/api/v1/namespaces/mesh/serviceaccounts', { metadata: { name: 'default' } });
    jobs = completeJobs(server, ended.signal);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Resolves with what helm prints, when it has ended well and the server has warned of nothing. */
  async function helmDoes(args: readonly string[], values?: object): Promise<string> {
    const given = values === undefined ? [] : ['-f', '-'];
    const child = spawn(helm ?? '', [...args, '--namespace', 'mesh', '--timeout', '60s', ...given], {
      cwd: root,
      env: { ...process.env, KUBECONFIG: server.kubeconfig },
    });
    child.stdin.end(values === undefined ? '' : JSON.stringify(values));
    const written = Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = (await once(child, 'close')) as [number];
    const [stdout, stderr] = await written;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  }

  const deployments = () => listOf<Workload & { spec: { replicas: number } }>(server, 'apps/v1', 'deployments');
  const replicasOf = async (word: string) =>
    (await deployments()).find(({ metadata }) => metadata.name.endsWith(word))?.spec.replicas;

  test('is installed, and each of its pods is admitted', async () => {
    const told = await helmDoes(['install', 'acme', chart, ...chosen], { s3: whole.s3 });
    expect(told).toContain('STATUS: deployed');
    expect(told).toContain('There is no administrator yet.');
    const found = await deployments();
    expect(found.map(({ metadata }) => metadata.name)).toEqual(
      [...words, 's3'].toSorted().map((word) => `acme-agent-mesh-${word}`),
    );
    for (const deployment of found) await makePod(server, deployment);
  });

  test('would not be admitted with a container that may gain privileges', async () => {
    const [first] = await deployments();
    const spec = structuredClone(first?.spec.template.spec) as { containers: { securityContext: object }[] };
    for (const container of spec.containers) container.securityContext = { allowPrivilegeEscalation: true };
    const broken = { ...first, spec: { template: { ...first?.spec.template, spec } } } as Workload;
    await expect(makePod(server, broken)).rejects.toThrow(/violates PodSecurity .*allowPrivilegeEscalation != false/);
  });

  test('is upgraded to a whole configuration, and rolled back', async () => {
    const told = await helmDoes(['upgrade', 'acme', chart, ...chosen], whole);
    expect(told).toContain('The first administrator is ada@example.com.');
    expect(told).toContain("get secret acme-auth -o jsonpath='{.data.DEFAULT_SUPERADMIN_PASSWORD}'");
    expect(await replicasOf('transcription')).toBe(0);
    for (const deployment of await deployments()) await makePod(server, deployment);
    const credentials = async (): Promise<object> => {
      const path = '/api/v1/namespaces/mesh/secrets/acme-agent-mesh-s3';
      return ((await server.call('GET', path)) as { data: object }).data;
    };
    const made = await credentials();
    expect(Object.keys(made)).toEqual(['ARTIFACT_S3_ACCESS_KEY_ID', 'ARTIFACT_S3_SECRET_ACCESS_KEY']);
    await helmDoes(['upgrade', 'acme', chart, ...chosen], whole);
    expect(await credentials()).toEqual(made);
    const budgets = await listOf<Workload>(server, 'policy/v1', 'poddisruptionbudgets');
    expect(budgets.map(({ metadata }) => metadata.name)).not.toContain('acme-agent-mesh-transcription');
    expect(await listOf(server, 'autoscaling/v2', 'horizontalpodautoscalers')).toHaveLength(1);
    await helmDoes(['rollback', 'acme', '1']);
    expect(await replicasOf('transcription')).toBe(2);
    expect(await listOf(server, 'autoscaling/v2', 'horizontalpodautoscalers')).toHaveLength(0);
    ended.abort();
    expect(await jobs).toEqual(Array.from({ length: 3 }, () => 'acme-agent-mesh-migrate'));
  });
});
