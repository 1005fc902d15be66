// Runs before `npm pack`: makes one file of the sources, the client and commander, whose license it carries.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const license = readFileSync(new URL('LICENSE', import.meta.resolve('commander')), 'utf8');

await build({
  root: fileURLToPath(new URL('.', import.meta.url)),
  configFile: false,
  logLevel: 'warn',
  ssr: { noExternal: true },
  build: {
    ssr: 'src/main.ts',
    target: 'node20',
    emptyOutDir: false,
    rollupOptions: {
      output: {
        entryFileNames: 'agentmesh.mjs',
        codeSplitting: false,
        banner: `/*! Contains commander. Its license:\n\n${license}*/`,
      },
    },
  },
});
