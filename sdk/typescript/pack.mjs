// Makes the folder of the package of other programs, with what is compiled of the sources: `node pack.mjs [folder]`. In the repository the package leads to the sources.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const folder = process.argv[2] ?? path('dist/package');

const {
  private: _,
  scripts: __,
  devDependencies: ___,
  publishConfig,
  ...packed
} = JSON.parse(readFileSync(path('package.json'), 'utf8'));

rmSync(folder, { recursive: true, force: true });
const options = ['-p', path('tsconfig.pack.json'), '--outDir', folder];
execFileSync(path('../../node_modules/.bin/tsc'), options, { stdio: 'inherit' });
cpSync(path('README.md'), join(folder, 'README.md'));
cpSync(path('../../LICENSE'), join(folder, 'LICENSE'));
writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...packed, ...publishConfig }, undefined, 2)}\n`);
