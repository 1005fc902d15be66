// Runs around `npm pack`: compiles the sources, and lets the package lead to what was compiled. In the repository it leads to the sources.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const [manifest, original] = [path('package.json'), path('package.json.orig')];

if (process.argv[2] === 'restore') {
  renameSync(original, manifest);
} else {
  rmSync(path('dist'), { recursive: true, force: true });
  execFileSync(path('../../node_modules/.bin/tsc'), ['-p', path('tsconfig.pack.json')], { stdio: 'inherit' });
  copyFileSync(manifest, original);
  const { publishConfig, scripts: _, devDependencies: __, ...packed } = JSON.parse(readFileSync(manifest, 'utf8'));
  writeFileSync(manifest, `${JSON.stringify({ ...packed, ...publishConfig }, undefined, 2)}\n`);
}
