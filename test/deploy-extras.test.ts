import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { words } from './deployed-settings.ts';
import { byWord, containerOf, helm, type Manifest, render, template } from './programs/rendered-chart.ts';

type External = Manifest & {
  readonly spec: {
    target: { name: string };
    data: { secretKey: string; remoteRef: { key: string; property: string } }[];
  };
};

/** The keys of Secrets that a pod reads, by the names of the Secrets. */
function keysOf(manifest: Manifest | undefined): string[] {
  const { env } = containerOf((manifest as Manifest).spec.template.spec);
  const keys = env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
  return [...new Set(keys.map(({ name, key }) => `${name}/${key}`))].toSorted();
}

describe.skipIf(helm === undefined)('optional parts of the chart', () => {
  it('has the External Secrets operator make exactly the Secrets and the keys that pods and the job read', () => {
    const manifests = render({ externalSecrets: { enabled: true, storeRef: { name: 'vault' }, key: 'mesh' } });
    const externals = byWord(manifests, 'ExternalSecret') as Map<string, External>;
    expect([...externals.keys()].toSorted()).toEqual([...words, 'migrate'].toSorted());
    for (const [word, { spec }] of externals) {
      const pod = byWord(manifests, word === 'migrate' ? 'Job' : 'Deployment').get(word);
      const made = spec.data.map(({ secretKey, remoteRef }) => {
        expect(remoteRef).toEqual({ key: 'mesh', property: secretKey });
        return `${spec.target.name}/${secretKey}`;
      });
      expect(made.toSorted()).toEqual(keysOf(pod));
    }
    expect(byWord(render(), 'ExternalSecret')).toEqual(new Map());
  });

  it('scales runs by their queue beside CPU', () => {
    const autoscaling = { enabled: true, targetQueuedRuns: 10 };
    const scaler = byWord(render({ services: { runs: { autoscaling } } }), 'HorizontalPodAutoscaler').get('runs');
    const metric = { name: 'agentmesh_runs_queued' };
    const target = { type: 'AverageValue', averageValue: '10' };
    expect(scaler?.spec).toMatchObject({ metrics: [{ type: 'Resource' }, { type: 'Pods', pods: { metric, target } }] });
  });

  it('scales no other service by that queue, also where the target stands in the defaults', () => {
    const autoscaling = { enabled: true, targetQueuedRuns: 10 };
    const scalers = byWord(render({ s3: { enabled: true }, defaults: { autoscaling } }), 'HorizontalPodAutoscaler');
    const metrics = [...scalers].map(([word, { spec }]) => [word, (spec as { metrics?: object[] }).metrics?.length]);
    expect(Object.fromEntries(metrics)).toEqual(
      Object.fromEntries(words.map((word) => [word, word === 'runs' ? 2 : 1])),
    );
  });

  it('scales by a share of the limit of CPU where there is no request, which is the limit then', () => {
    const resources = { requests: null, limits: { cpu: 1, memory: '1Gi' } };
    const made = render({ services: { gateway: { autoscaling: { enabled: true }, resources } } });
    expect(byWord(made, 'HorizontalPodAutoscaler').has('gateway')).toBe(true);
  });

  it('has no disruption budget for a service without replicas', () => {
    const budgets = byWord(render({ services: { transcription: { replicas: 0 } } }), 'PodDisruptionBudget');
    expect([...budgets.keys()].toSorted()).toEqual(words.filter((word) => word !== 'transcription'));
  });

  it('has a `helm test`, which reaches the gateway also where clients are restricted', () => {
    const made = render({ networkPolicy: { publicFrom: [{ ipBlock: { cidr: '10.1.0.0/16', except: [] } }] } });
    const pods = made.filter(({ kind }) => kind === 'Pod');
    expect(pods).toMatchObject([{ metadata: { annotations: { 'helm.sh/hook': 'test' } } }]);
    const address = 'http://acme-agent-mesh-gateway:8000';
    expect(pods[0]?.spec).toMatchObject({
      containers: [{ command: ['node', '/app/deploy/probe.mjs'], args: [address] }],
    });
    const labels = pods[0]?.metadata.labels ?? {};
    const policy = byWord(made, 'NetworkPolicy').get('test');
    expect(JSON.stringify(policy?.spec.egress)).toContain('"port":8000');
    const [open] = byWord(made, 'NetworkPolicy').get('gateway')?.spec.ingress ?? [];
    expect(open?.from).toContainEqual({ podSelector: { matchLabels: labels } });
  });

  it('shows the dashboard to Grafana', () => {
    const made = render({ monitoring: { enabled: true, dashboard: { enabled: true } } });
    const [found] = made.filter(({ metadata }) => metadata.name.endsWith('-dashboard')) as unknown as {
      data: Record<string, string>;
    }[];
    expect(JSON.parse(found?.data['agent-mesh.json'] ?? '')).toMatchObject({ title: 'Agent Mesh' });
  });

  it('mounts the certificates of authorities into every pod and the job, and nothing without them', () => {
    const containers = (values: object) =>
      render(values)
        .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
        .map(({ spec }) => spec.template.spec);
    const pods = containers({ authorities: { configMap: 'authorities' } });
    expect(pods).toHaveLength(words.length + 1);
    for (const pod of pods)
      expect(pod).toMatchObject({
        containers: [
          {
            volumeMounts: expect.arrayContaining([
              { name: 'authorities', mountPath: '/authorities', readOnly: true },
            ]) as unknown,
          },
        ],
        volumes: expect.arrayContaining([{ name: 'authorities', configMap: { name: 'authorities' } }]) as unknown,
      });
    expect(JSON.stringify(containers({}))).not.toContain('authorities');
  });

  it('upgrades with the values of a release that had no authorities, as `--reuse-values` keeps them', () => {
    expect(render({ authorities: null })).toEqual(render());
  });

  it('refuses a store of another kind', () => {
    expect(template([], { externalSecrets: { storeRef: { kind: 'Vault' } } }).ok).toBe(false);
    expect(parseAllDocuments(template([]).stdout).length).toBeGreaterThan(10);
  });
});

describe.skipIf(helm === undefined)('values that no cluster can follow', () => {
  const scaled = (autoscaling: object, more: object = {}) => ({
    services: { gateway: { autoscaling: { enabled: true, ...autoscaling }, ...more } },
  });
  it.each([
    [
      'fewer replicas at most than at least',
      scaled({ minReplicas: 3, maxReplicas: 2 }),
      'minReplicas is 3, more than its maxReplicas, 2',
    ],
    [
      'fewer replicas at most than the default at least',
      scaled({ maxReplicas: 1 }),
      'minReplicas is 2, more than its maxReplicas, 1',
    ],
    [
      'scaling by a share of a CPU that is not asked for',
      scaled({}, { resources: { requests: { cpu: null } } }),
      'services.gateway.resources.requests.cpu is missing',
    ],
    [
      'scaling another service by the queue of runs',
      scaled({ targetQueuedRuns: 5 }),
      'services.gateway.autoscaling.targetQueuedRuns is 5',
    ],
    ['a service on the port of metrics', { opsPort: 9105 }, 'services.memory.port is 9105, as opsPort is'],
    ['negative replicas', { services: { gateway: { replicas: -1 } } }, 'services.gateway.replicas'],
    [
      'a store of secrets without a name',
      { externalSecrets: { enabled: true } },
      'externalSecrets.storeRef.name is missing',
    ],
    ['a duration without its unit', { externalSecrets: { refreshInterval: '60' } }, 'externalSecrets.refreshInterval'],
    [
      'a size that is no quantity',
      { services: { artifacts: { data: { size: '20 GB' } } } },
      'services.artifacts.data.size',
    ],
    ['a size of nothing', { s3: { size: '' } }, 's3.size'],
    [
      'an image of the S3 server without a tag',
      { s3: { enabled: true, image: { tag: '' } } },
      's3.image.tag is missing',
    ],
    ['a name that no Secret can have', { existingSecret: 'Agent Mesh' }, 'existingSecret'],
    ['a host with a scheme', { ingress: { host: 'https://mesh.example.com' } }, 'ingress.host'],
    ['a grace that is no number', { env: { SHUTDOWN_GRACE_SECONDS: '1m' } }, 'SHUTDOWN_GRACE_SECONDS'],
  ])('refuses %s', (_, values, named) => {
    const { ok, stderr } = template(named === 'existingSecret' ? ['--set', 'existingSecret=Agent Mesh'] : [], values);
    expect(ok).toBe(false);
    expect(stderr).toContain(named);
  });
});
