// Runs before `npm pack`: makes one file of the sources, the client and the libraries, whose licenses it carries.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** Puts the licenses of all packages whose code is in the file before it. */
const licenses = {
  name: 'licenses',
  renderChunk: (code, { modules }) => {
    const folders = Object.keys(modules).flatMap(
      (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
    );
    return { code: [...new Set(folders)].map(licenseOf).join('') + code, map: null };
  },
};

function licenseOf(folder) {
  const name = readdirSync(folder).find((file) => /^licen[sc]e/i.test(file));
  const { name: library } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (name === undefined || !existsSync(join(folder, name))) throw new Error(`${library} has no license file`);
  const text = readFileSync(join(folder, name), 'utf8').replaceAll('*/', '* /');
  return `/*! Contains ${library}. Its license:\n\n${text}*/\n`;
}

await build({
  root: fileURLToPath(new URL('.', import.meta.url)),
  configFile: false,
  logLevel: 'warn',
  ssr: { noExternal: true },
  plugins: [licenses],
  build: {
    ssr: 'src/main.ts',
    target: 'node20',
    emptyOutDir: false,
    rollupOptions: { output: { entryFileNames: 'agentmesh.mjs', codeSplitting: false } },
  },
});
