import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { words } from './deployed-settings.ts';
import { byWord, containerOf, edges, envOf, helm, type Manifest, podsOf, render } from './programs/rendered-chart.ts';

const address = 'dns:///memory-agent-mesh-memory.search:9105';
const memoryAway = { memory: { enabled: false, address } };
const plain = helm === undefined ? [] : render();
const namesOf = (manifests: readonly Manifest[], kind: string) => [...byWord(manifests, kind).keys()].toSorted();
const templatesOf = (manifests: readonly Manifest[]) =>
  new Map(Array.from(byWord(manifests, 'Deployment'), ([word, { spec }]) => [word, spec.template]));

describe.skipIf(helm === undefined)('a service that its team releases alone', () => {
  it('is left out of the release of the others, which find it at its address', () => {
    const rest = words.filter((word) => word !== 'memory');
    const manifests = render({ services: memoryAway });
    for (const kind of ['Deployment', 'Service', 'PodDisruptionBudget']) expect(namesOf(manifests, kind)).toEqual(rest);
    for (const caller of ['gateway', 'runs'])
      expect(envOf(podsOf(manifests).get(caller)).MESH_MEMORY_URL).toBe(address);
    expect(edges(manifests, 'egress')).toContain('runs>memory:9105');
  });

  it('is a release of its own: its pods, the migration of its schema, and the callers that it names', () => {
    const from = { namespaceSelector: {}, podSelector: { matchLabels: { 'app.kubernetes.io/component': 'runs' } } };
    const away = words.filter((word) => word !== 'memory').map((word) => [word, { enabled: false }]);
    const at = (word: string, port: number) => ({ enabled: false, address: `dns:///mesh-agent-mesh-${word}:${port}` });
    const others = { ...Object.fromEntries(away), auth: at('auth', 9101), sessions: at('sessions', 9102) };
    const manifests = render({ services: { ...others, memory: { ingressFrom: [from] } } });
    expect(namesOf(manifests, 'Deployment')).toEqual(['memory']);
    expect(envOf(podsOf(manifests).get('memory'))).toMatchObject({
      MESH_AUTH_URL: 'dns:///mesh-agent-mesh-auth:9101',
      MESH_SESSIONS_URL: 'dns:///mesh-agent-mesh-sessions:9102',
    });
    expect(edges(manifests, 'ingress')).toContain('runs>memory:9105');
    const job = containerOf(byWord(manifests, 'Job').get('migrate')?.spec.template.spec);
    expect(job.args).toEqual(['migrate', 'memory']);
    expect(job.env.map(({ name }) => name)).toEqual(['DATABASE_URL', 'MEMORY_DATABASE_URL']);
  });

  it('changes only its own pods with its image, its Secret and what it says about its pods', () => {
    const own = {
      image: { tag: '9.9.9' },
      existingSecret: 'memory-team',
      podLabels: { team: 'search' },
      serviceAccountName: 'memory',
      priorityClassName: 'high',
      affinity: { nodeAffinity: {} },
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
    };
    const manifests = render({ services: { memory: own, transcription: { replicas: 0 } } });
    const [former, changed] = [templatesOf(plain), templatesOf(manifests)];
    const differ = (word: string) => JSON.stringify(changed.get(word)) !== JSON.stringify(former.get(word));
    expect(words.filter(differ)).toEqual(['memory']);
    const { image: _, existingSecret: __, podLabels, ...pod } = own;
    expect(changed.get('memory')).toMatchObject({
      metadata: { labels: podLabels },
      spec: { ...pod, containers: [{ image: 'agent-mesh:9.9.9' }] },
    });
    expect(JSON.stringify(changed.get('memory'))).not.toContain('acme-memory"');
    const kept = words.filter((word) => word !== 'transcription');
    expect(namesOf(manifests, 'PodDisruptionBudget')).toEqual(kept);
  });

  it('restarts no pod with a new version of the chart: the labels of pods have none', () => {
    for (const { spec } of byWord(plain, 'Deployment').values())
      expect(JSON.stringify(spec.template)).not.toContain('helm.sh/chart');
  });
});

describe('the values of a team', () => {
  const files = globSync('deploy/values/*.yaml').toSorted();
  const valuesOf = (file: string) => parse(readFileSync(file, 'utf8')) as { services: Record<string, object> };

  it('are a file for each service, which sets that service alone and is given to its team', () => {
    const owners = readFileSync('CODEOWNERS', 'utf8');
    expect(files).toEqual(words.map((word) => `deploy/values/${word}.yaml`));
    for (const word of words) {
      const values = valuesOf(`deploy/values/${word}.yaml`);
      expect([Object.keys(values), Object.keys(values.services)]).toEqual([['services'], [word]]);
      expect(owners).toContain(`/deploy/values/${word}.yaml @agentmesh/${word}\n`);
      if (word !== 'gateway')
        expect(owners).toMatch(new RegExp(`^/proto/agentmesh/${word}/ +@agentmesh/${word} `, 'm'));
    }
  });

  it.skipIf(helm === undefined)('together are what the chart says without them', () => {
    const services = Object.assign({}, ...files.map((file) => valuesOf(file).services)) as object;
    expect(render({ services })).toEqual(plain);
  });
});

describe.skipIf(helm === undefined)('the owner of the database', () => {
  it('is known to the job that migrates, and to no pod', () => {
    const job = containerOf(byWord(plain, 'Job').get('migrate')?.spec.template.spec);
    for (const { valueFrom } of job.env) expect(valueFrom?.secretKeyRef.name).toBe('acme-migrate');
    for (const pod of podsOf(plain).values()) expect(JSON.stringify(pod)).not.toContain('acme-migrate');
  });
});

interface Alert {
  readonly alert: string;
  readonly expr: string;
}
const alerts = parse(readFileSync('deploy/chart/alerts.yaml', 'utf8')) as readonly Alert[];

describe('the alerts of the chart', () => {
  it('read only metrics that the sources make', () => {
    const sources = globSync('{lib,gateway,services}/**/*.ts', { exclude: ['**/node_modules/**'] });
    const text = sources.map((file) => readFileSync(file, 'utf8')).join();
    for (const { alert, expr } of alerts) {
      const read = Array.from(expr.matchAll(/\b[a-z]+_[a-z_]+\b/g), ([name]) => name.replace(/_count$/, ''));
      const missing = read.filter((name) => !text.includes(`'${name}'`));
      expect([alert, read.length > 0, missing]).toEqual([alert, true, []]);
    }
  });

  it('have a first step each in the runbook, which has no others', () => {
    const described = Array.from(
      readFileSync('docs/operations.md', 'utf8').matchAll(/^- \*\*(AgentMesh\w+)\*\*/gm),
      ([, name]) => name,
    );
    expect(described).toEqual(alerts.map(({ alert }) => alert));
  });

  it.skipIf(helm === undefined)('are made for the Prometheus operator on request', () => {
    const made = render({ monitoring: { enabled: true } });
    const specOf = (kind: string) => made.find((it) => it.kind === kind)?.spec;
    expect(specOf('PrometheusRule')).toMatchObject({ groups: [{ rules: alerts }] });
    expect(specOf('PodMonitor')).toMatchObject({ podMetricsEndpoints: [{ port: 'ops', path: '/metrics' }] });
    expect(plain.map(({ kind }) => kind)).not.toContain('PodMonitor');
  });
});
