// Runs around `npm pack`: the package of other programs has the contracts and the code that is generated from them, and no sources of the mesh.
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const [manifest, original] = [path('package.json'), path('package.json.orig')];

if (process.argv[2] === 'restore') {
  renameSync(original, manifest);
} else {
  copyFileSync(manifest, original);
  const {
    private: _,
    scripts: __,
    devDependencies: ___,
    exports,
    ...packed
  } = JSON.parse(readFileSync(manifest, 'utf8'));
  const generated = Object.entries(exports).filter(([, to]) => typeof to !== 'string');
  writeFileSync(manifest, `${JSON.stringify({ ...packed, exports: Object.fromEntries(generated) }, undefined, 2)}\n`);
}
