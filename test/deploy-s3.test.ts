import { describe, expect, it } from 'vitest';
import { complaint, undocumented, words } from './deployed-settings.ts';
import {
  byWord,
  containerOf,
  envOf,
  helm,
  type Manifest,
  podsOf,
  render,
  template,
} from './programs/rendered-chart.ts';
import { s3GatewayVersion } from './programs/s3-gateway.ts';

const options = { s3: { enabled: true }, services: { artifacts: { data: { accessMode: 'ReadWriteOnce' } } } };
const secretName = 'acme-agent-mesh-s3';

const s3Of = (manifests: readonly Manifest[], kind: string) => byWord(manifests, kind).get('s3');
const secretsOf = (manifests: readonly Manifest[]) => manifests.filter(({ kind }) => kind === 'Secret');

describe.skipIf(helm === undefined)('the S3 server of the chart', () => {
  const manifests = helm === undefined ? [] : render(options);
  const pods = podsOf(manifests);

  it('is left out unless it is asked for', () => {
    expect(render().filter(({ metadata }) => metadata.name.endsWith('-s3'))).toEqual([]);
    expect([...pods.keys()].toSorted()).toEqual([...words, 's3'].toSorted());
  });

  it('lets two replicas of artifacts stand, which are replaced one after the other and have no volume', () => {
    const artifacts = byWord(manifests, 'Deployment').get('artifacts');
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
    expect(artifacts?.spec).toMatchObject({ replicas: 2, strategy });
    expect(pods.get('artifacts')).toMatchObject({ volumes: [{ name: 'tmp' }] });
    expect([...byWord(manifests, 'PersistentVolumeClaim').keys()]).toEqual(['s3']);
  });

  it('gives artifacts its address and its credentials, with settings that are documented and pass their check', async () => {
    const pod = pods.get('artifacts');
    const { env, args } = containerOf(pod);
    const port = s3Of(manifests, 'Service')?.spec.ports?.[0]?.port;
    const address = { ARTIFACT_STORE_URL: 's3://artifacts', ARTIFACT_S3_ENDPOINT: `http://acme-agent-mesh-s3:${port}` };
    expect(envOf(pod)).toMatchObject(address);
    expect(undocumented(env.map(({ name }) => name))).toEqual([]);
    expect(await complaint(args, envOf(pod))).toBe('');
    for (const key of ['ARTIFACT_S3_ACCESS_KEY_ID', 'ARTIFACT_S3_SECRET_ACCESS_KEY']) {
      expect(env).toContainEqual({ name: key, valueFrom: { secretKeyRef: { name: secretName, key } } });
      for (const [word, other] of pods) if (word !== 'artifacts') expect(envOf(other)).not.toHaveProperty(key);
    }
    expect(secretsOf(manifests)).toMatchObject([{ metadata: { name: secretName } }]);
  });

  it('meets the level `restricted`, makes its bucket before it starts, and is probed', () => {
    const pod = pods.get('s3');
    const securityContext = {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    };
    const probe = { httpGet: { path: '/-/health', port: 's3' } };
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        fsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      initContainers: [{ command: ['mkdir', '-p', '/data/artifacts'], securityContext }],
      containers: [{ args: ['posix', '/data'], securityContext, readinessProbe: probe, livenessProbe: probe }],
      volumes: [{ name: 'tmp' }, { name: 'data', persistentVolumeClaim: { claimName: secretName } }],
    });
    expect(envOf(pod)).toMatchObject({ VGW_PORT: ':7070', VGW_HEALTH: '/-/health' });
    expect(JSON.stringify(pod)).toContain(`"image":"ghcr.io/versity/versitygw:${s3GatewayVersion}"`);
  });

  it('is reached by artifacts alone, and reaches nothing', () => {
    const labels = (word: string) => ({
      podSelector: { matchLabels: expect.objectContaining({ 'app.kubernetes.io/component': word }) },
    });
    const policy = s3Of(manifests, 'NetworkPolicy');
    expect(policy?.spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
    expect(policy?.spec.egress).toBeUndefined();
    expect(policy?.spec.ingress).toEqual([{ ports: [{ port: 7070, protocol: 'TCP' }], from: [labels('artifacts')] }]);
    for (const [word, { spec }] of byWord(manifests, 'NetworkPolicy')) {
      const reaches = (spec.egress ?? []).some(({ ports }) => ports?.some(({ port }) => port === 7070));
      expect([word, reaches]).toEqual([word, word === 'artifacts']);
    }
  });

  it('takes a Secret, a claim and an image by digest of its operator', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const own = { enabled: true, existingSecret: 'store', existingClaim: 'payloads', image: { digest } };
    const made = render({ s3: own });
    expect(secretsOf(made)).toEqual([]);
    expect(byWord(made, 'PersistentVolumeClaim').size).toBe(0);
    const text = JSON.stringify([...podsOf(made)]);
    expect(text).toContain('"secretKeyRef":{"name":"store","key":"ARTIFACT_S3_ACCESS_KEY_ID"}');
    expect(text).toContain(`"image":"ghcr.io/versity/versitygw@${digest}"`);
    expect(text).toContain('"claimName":"payloads"');
  });

  it('refuses a name that no bucket may have', () => {
    expect(template([], { s3: { enabled: true, bucket: 'Artifacts' } }).ok).toBe(false);
  });
});
