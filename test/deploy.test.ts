import { describe, expect, it } from 'vitest';
import { calls, complaint, run, type Texts, undocumented, words } from './deployed-settings.ts';
import {
  byWord,
  chart,
  chosen,
  containerOf,
  edges,
  envOf,
  helm,
  type Manifest,
  podsOf,
  type Rule,
  render,
  template,
} from './programs/rendered-chart.ts';

describe.skipIf(helm === undefined)('the Helm chart', () => {
  const manifests = helm === undefined ? [] : render();
  const pods = podsOf(manifests);

  it('passes helm lint', () => {
    const { stdout, ok } = run(helm ?? 'helm', ['lint', '--strict', chart, ...chosen]);
    expect({ ok, stdout }).toMatchObject({ ok: true });
  });

  it('deploys every service of main.ts, with a Service, a disruption budget and a network policy', () => {
    expect(words).toContain('gateway');
    for (const kind of ['Deployment', 'Service', 'PodDisruptionBudget']) {
      expect([...byWord(manifests, kind).keys()].toSorted()).toEqual(words);
    }
    expect([...byWord(manifests, 'NetworkPolicy').keys()].toSorted()).toEqual([
      '',
      ...[...words, 'migrate', 'test'].toSorted(),
    ]);
    for (const [word, pod] of pods) expect(containerOf(pod).args).toEqual([word]);
  });

  it('fits the 97 connections that PostgreSQL gives by default, also while an update starts a replica more', () => {
    const connectionsOf = ([word, { spec }]: [string, Manifest]): number =>
      Number(envOf(pods.get(word))[`${word.toUpperCase()}_DATABASE_POOL`] ?? 8) *
      (spec.replicas + (spec.strategy.rollingUpdate?.maxSurge ?? 0));
    const withDatabase = [...byWord(manifests, 'Deployment')].filter(([word]) => !/gateway|transcription/.test(word));
    expect(withDatabase.map(connectionsOf).reduce((sum, count) => sum + count)).toBeLessThanOrEqual(97);
  });

  it('restricts every pod: not root, read-only file system, no capabilities, no service account token', () => {
    const restricted = {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    };
    for (const pod of pods.values()) {
      expect(pod).not.toHaveProperty('initContainers');
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containers: pod.containers.map(() => ({
          securityContext: restricted,
          resources: { requests: { cpu: expect.any(String) }, limits: { memory: expect.any(String) } },
        })),
      });
    }
  });

  it('gives ENCRYPT_KEY only to auth, gateway and keys, and every secret from the Secret', () => {
    const holders = [...pods].filter(([, pod]) => 'ENCRYPT_KEY' in envOf(pod)).map(([word]) => word);
    expect(holders.toSorted()).toEqual(['auth', 'gateway', 'keys']);
    for (const [word, pod] of pods) {
      const taken = containerOf(pod).env.filter(({ value }) => value === undefined);
      const prefix = word.toUpperCase();
      const own: Texts = {
        MESH_IDENTITY: `${prefix}_MESH_IDENTITY`,
        DATABASE_URL: `${prefix}_DATABASE_URL`,
        NATS_PASSWORD: `${prefix}_NATS_PASSWORD`,
      };
      const names = [
        'DATABASE_URL',
        ...(holders.includes(word) ? ['ENCRYPT_KEY'] : []),
        'MESH_IDENTITIES',
        'MESH_IDENTITY',
        'NATS_PASSWORD',
      ];
      const source = (key: string) => ({ secretKeyRef: { name: `acme-${word}`, key } });
      expect(taken).toEqual(names.map((name) => ({ name, valueFrom: source(own[name] ?? name) })));
    }
  });

  it('sets only documented settings, each once, and the settings of each process pass its check', {
    timeout: 90_000,
  }, async () => {
    for (const pod of pods.values()) {
      const names = containerOf(pod).env.map(({ name }) => name);
      expect(undocumented(names)).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
      expect(await complaint(containerOf(pod).args, envOf(pod))).toBe('');
    }
  });

  it('probes the ops port, and listens on an address that the cluster can reach', () => {
    for (const [word, pod] of pods) {
      const { HOST, PORT, MESH_HOST, MESH_PORT, ...env } = envOf(pod);
      const [host, port] = word === 'gateway' ? [HOST, PORT] : [MESH_HOST, MESH_PORT];
      expect([host, env.OPS_HOST]).toEqual(['0.0.0.0', '0.0.0.0']);
      expect(containerOf(pod)).toMatchObject({
        ports: [{ containerPort: Number(port) }, { name: 'ops', containerPort: Number(env.OPS_PORT) }],
        startupProbe: { httpGet: { path: '/livez', port: 'ops' } },
        livenessProbe: { httpGet: { path: '/livez', port: 'ops' } },
        readinessProbe: { httpGet: { path: '/readyz/own', port: 'ops' } },
      });
    }
  });

  it('names other services by existing headless Services and their ports', () => {
    const addresses = [...byWord(manifests, 'Service')].map(([word, { metadata, spec }]) => {
      expect(spec).toMatchObject(word === 'gateway' ? {} : { clusterIP: 'None' });
      return [`MESH_${word.toUpperCase()}_URL`, `dns:///${metadata.name}:${spec.ports?.[0]?.port}`];
    });
    const used = [...pods.values()].flatMap((pod) => Object.entries(envOf(pod)));
    const siblings = used.filter(([name]) => /^MESH_\w+_URL$/.test(name));
    expect(siblings).toHaveLength(calls.length);
    for (const entry of siblings) expect(addresses).toContainEqual(entry);
  });

  it('kills a pod only after the time that a process takes to drain', () => {
    for (const seconds of [10, 60]) {
      for (const pod of podsOf(render({ shutdownGraceSeconds: seconds, preStopSeconds: 20 })).values()) {
        expect(containerOf(pod)).toMatchObject({ lifecycle: { preStop: { exec: { command: ['sleep', '20'] } } } });
        expect(envOf(pod).SHUTDOWN_GRACE_SECONDS).toBe(String(seconds));
        expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(20 + seconds);
      }
    }
    const own = podsOf(render({ services: { runs: { shutdownGraceSeconds: 300 } } })).get('runs');
    expect(envOf(own).SHUTDOWN_GRACE_SECONDS).toBe('300');
    expect(own?.terminationGracePeriodSeconds).toBeGreaterThan(300);
    const set = podsOf(render({ services: { runs: { env: { SHUTDOWN_GRACE_SECONDS: '200' } } } })).get('runs');
    expect(set?.terminationGracePeriodSeconds).toBeGreaterThan(200);
  });

  it('takes a plain setting whose name begins like a secret', () => {
    const minutes = { PASSWORD_RESET_TOKEN_EXPIRE_MINUTES: '60' };
    const pod = podsOf(render({ services: { auth: { env: minutes } } })).get('auth');
    expect(envOf(pod)).toMatchObject(minutes);
  });

  it('allows only the connections of services that call each other in the code, DNS, the database and the internet for services that need it', () => {
    const policies = byWord(manifests, 'NetworkPolicy');
    expect(policies.get('')?.spec).toEqual({
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'agent-mesh', 'app.kubernetes.io/instance': 'acme' } },
      policyTypes: ['Ingress', 'Egress'],
    });
    const meshPort = (word: string) => envOf(pods.get(word)).MESH_PORT;
    const needed = calls.map(([caller, called]) => `${caller}>${called}:${meshPort(called)}`).toSorted();
    expect(needed).toContain('runs>sessions:9102');
    expect([edges(manifests, 'ingress'), edges(manifests, 'egress')]).toEqual([needed, needed]);
    const portsOf = (rules: readonly Rule[]) => rules.flatMap(({ ports }) => ports?.map(({ port }) => port));
    for (const word of words) {
      const { ingress = [], egress = [] } = policies.get(word)?.spec ?? {};
      const fromAnyone = portsOf(ingress.filter(({ from }) => !from));
      const toAnyone = portsOf(egress.filter(({ to }) => !to));
      const internet = egress.flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? []));
      expect([word, fromAnyone, toAnyone]).toEqual([word, word === 'gateway' ? [8000] : [], [53, 53, 5432, 4222]]);
      expect([word, internet.length > 0]).toEqual([word, ['runs', 'keys', 'transcription', 'webhooks'].includes(word)]);
      for (const { except } of internet) expect(except.length).toBeGreaterThan(0);
    }
  });

  it('gives every pod the address past a pooler, and allows its port', () => {
    const directUrl = 'postgres://db:5433/agentmesh';
    const made = render({ database: { directUrl }, networkPolicy: { database: { port: 6432 } } });
    for (const pod of podsOf(made).values()) expect(envOf(pod).DATABASE_DIRECT_URL).toBe(directUrl);
    const { egress = [] } = byWord(made, 'NetworkPolicy').get('sessions')?.spec ?? {};
    expect(egress.map(({ ports }) => ports?.map(({ port }) => port))).toContainEqual([6432, 5433]);
    expect(JSON.stringify(byWord(made, 'Job').get('migrate'))).toContain(directUrl);
  });

  it('signs each pod in to NATS as its own user, and uses PostgreSQL alone when NATS is not enabled', () => {
    for (const [word, pod] of pods) {
      expect(envOf(pod)).toMatchObject({ NATS_URL: 'nats://nats:4222', NATS_USER: word, NATS_STREAM_REPLICAS: '1' });
    }
    const without = render({ nats: { enabled: false } });
    for (const pod of podsOf(without).values()) {
      expect(Object.keys(envOf(pod)).filter((name) => name.startsWith('NATS_'))).toEqual([]);
    }
    expect(JSON.stringify([...byWord(without, 'NetworkPolicy')])).not.toContain('4222');
  });

  it('deploys a new service from one new entry in the values', () => {
    const grown = render({ services: { search: { port: 9199, calledBy: ['runs'] } } });
    const address = { MESH_SEARCH_URL: 'dns:///acme-agent-mesh-search:9199' };
    expect(envOf(podsOf(grown).get('runs'))).toMatchObject(address);
    expect(envOf(podsOf(grown).get('gateway'))).not.toMatchObject(address);
    expect(envOf(podsOf(grown).get('search'))).toMatchObject({ MESH_PORT: '9199' });
    for (const side of ['ingress', 'egress'] as const) expect(edges(grown, side)).toContain('runs>search:9199');
  });

  it('keeps large artifacts on a claim that is kept when the release is deleted', () => {
    const metadata: unknown = expect.objectContaining({ annotations: { 'helm.sh/resource-policy': 'keep' } });
    const claims = byWord(manifests, 'PersistentVolumeClaim');
    expect(claims).toEqual(new Map([['artifacts', expect.objectContaining({ metadata })]]));
    const volume = { name: 'data', persistentVolumeClaim: { claimName: claims.get('artifacts')?.metadata.name } };
    const volumeMounts = [{ name: 'tmp' }, { name: 'data', mountPath: '/data' }];
    const securityContext = { fsGroup: 1000 };
    const expected = { securityContext, volumes: [{ name: 'tmp' }, volume], containers: [{ volumeMounts }] };
    expect(pods.get('artifacts')).toMatchObject(expected);
  });

  it('renders the optional parts: ingress, mutual TLS, autoscaling, agents', () => {
    const full = render({
      ingress: { enabled: true, host: 'mesh.example.com', tlsSecret: 'mesh-cert', className: 'nginx' },
      meshTls: { existingSecret: 'mesh-tls' },
      agents: { files: { 'echo/root_agent.yaml': 'name: echo\nmodel: echo/default\n' } },
      networkPolicy: { metricsFrom: [{ namespaceSelector: {} }], egress: [{ ports: [{ port: 4318 }] }] },
      services: { gateway: { env: { GATEWAY_TRUSTED_PROXIES: '10.0.0.0/8' }, autoscaling: { enabled: true } } },
    });
    expect([...byWord(full, 'Ingress').keys()]).toEqual(['gateway']);
    expect([...byWord(full, 'HorizontalPodAutoscaler').keys()]).toEqual(['gateway']);
    expect(byWord(full, 'Deployment').get('gateway')?.spec).not.toHaveProperty('replicas');
    const runs = podsOf(full).get('runs');
    expect(envOf(podsOf(full).get('gateway')).PUBLIC_BASE_URL).toBe('https://mesh.example.com');
    expect(envOf(runs)).toMatchObject({ AGENTS_DIR: '/agents', MESH_TLS_CA: '/mesh-tls/ca.crt' });
    const items = [{ key: 'echo--root_agent.yaml', path: 'echo/root_agent.yaml' }];
    const configMap = { name: 'acme-agent-mesh-agents', items };
    expect(runs).toMatchObject({ volumes: [{ name: 'tmp' }, { name: 'agents', configMap }, { name: 'mesh-tls' }] });
    const [files] = full.filter(({ kind }) => kind === 'ConfigMap');
    expect(files).toMatchObject({ data: { 'echo--root_agent.yaml': 'name: echo\nmodel: echo/default\n' } });
  });

  it.each([
    [
      'an ingress whose addresses are not named',
      'ingress.enabled=true,ingress.host=mesh.example',
      'GATEWAY_TRUSTED_PROXIES',
    ],
    ['no Secret', 'existingSecret=', 'existingSecret is missing'],
    ['a misspelt value', 'networkPolicies.enabled=false', 'networkPolicies'],
    ['a secret in plain environment', 'services.runs.env.OPENAI_API_KEY=sk-1', 'OPENAI_API_KEY'],
    ['a password in plain environment', 'services.auth.env.DEFAULT_SUPERADMIN_PASSWORD=x', 'PASSWORD'],
    ['a number where text is needed', 'env.GATEWAY_MAX_BODY_BYTES=20971520', 'env.GATEWAY_MAX_BODY_BYTES'],
    [
      'several replicas on a volume of one node',
      'services.artifacts.data.accessMode=ReadWriteOnce',
      'several replicas',
    ],
    ['payloads that nothing keeps', 'services.artifacts.data.enabled=false', 'payloads would be lost'],
    ['a service of another release without its address', 'services.memory.enabled=false', 'services.memory.address'],
    ['ENCRYPT_KEY for runs', 'services.runs.secretEnv.ENCRYPT_KEY=ENCRYPT_KEY', 'services.runs'],
    ['signing keys for runs', 'services.runs.secretEnv.TOKEN_SIGNING_KEYS=TOKEN_SIGNING_KEYS', 'services.runs'],
    ['ENCRYPT_KEY for every pod', 'secretEnv.ENCRYPT_KEY=ENCRYPT_KEY', 'secretEnv'],
  ])('refuses %s', (_, value, named) => {
    const { ok, stderr } = template(['--set', value]);
    expect(ok).toBe(false);
    expect(stderr).toContain(named);
  });

  it.each([
    ['PORT', { services: { gateway: { env: { PORT: '8080' } } } }, 'services.gateway.port is 8000'],
    ['MESH_PORT', { env: { MESH_PORT: '9000' } }, 'services.artifacts.port is 9104'],
    ['OPS_PORT', { services: { runs: { env: { OPS_PORT: '9091' } } } }, 'opsPort is 9090'],
  ])('refuses another %s than that of the Services, network policies and probes', (name, values, decided) => {
    const { ok, stderr } = template([], values);
    expect(ok).toBe(false);
    expect(stderr).toContain(`${decided}, and env.${name} differs`);
  });
});
