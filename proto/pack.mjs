// Makes the folder of the package of other programs, with the contracts and the code that is generated from them, and without sources of the mesh: `node pack.mjs [folder]`.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const folder = process.argv[2] ?? path('dist/package');

const {
  private: _,
  scripts: __,
  devDependencies: ___,
  exports,
  ...packed
} = JSON.parse(readFileSync(path('package.json'), 'utf8'));
const generated = Object.entries(exports).filter(([, to]) => typeof to !== 'string');

rmSync(folder, { recursive: true, force: true });
for (const name of [...packed.files, 'README.md']) cpSync(path(name), join(folder, name), { recursive: true });
cpSync(path('../LICENSE'), join(folder, 'LICENSE'));
const manifest = { ...packed, exports: Object.fromEntries(generated) };
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
