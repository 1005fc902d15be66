import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goToolCache, hasGo, isProgram } from './go-tools.ts';

export interface KubernetesPrograms {
  readonly etcd: string;
  readonly apiserver: string;
}

const modules = fileURLToPath(new URL('kubernetes', import.meta.url));
const version = 'v1.36.3';
const packages = { etcd: 'go.etcd.io/etcd/server/v3', 'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver' };

/**
 * Paths of an API server and an etcd: those of `KUBERNETES_PROGRAMS` (a folder), of the cache, or built from their modules, which takes a quarter of an hour of a core. Undefined, with a warning,
 * without Go.
 */
export function findKubernetes(): KubernetesPrograms | undefined {
  const folder = process.env.KUBERNETES_PROGRAMS ?? join(goToolCache, `kubernetes-${version}`);
  for (const [name, path] of Object.entries(packages)) {
    const program = join(folder, name);
    if (isProgram(program)) continue;
    if (!hasGo) {
      process.stderr.write(
        `\n*** NO ${name.toUpperCase()} and no Go to build it: the chart's installation is SKIPPED. ***\n\n\n`,
      );
      return undefined;
    }
    build(folder, program, path);
  }
  return { etcd: join(folder, 'etcd'), apiserver: join(folder, 'kube-apiserver') };
}

function build(folder: string, program: string, path: string): void {
  mkdirSync(folder, { recursive: true });
  const minor = version.split('.').slice(0, 2).join('.');
  const [major, own] = minor.slice(1).split('.');
  const stamps = { gitVersion: version, gitMajor: major, gitMinor: own };
  const flags = Object.entries(stamps).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  const args = ['build', '-trimpath', '-ldflags', ['-s -w', ...flags].join(' '), '-o', program, path];
  const env = { ...process.env, CGO_ENABLED: '0' };
  const { status } = spawnSync('go', args, { cwd: modules, env, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`go build ${path} ended with ${status}`);
}
