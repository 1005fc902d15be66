import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callersFile, callersText } from './callers/callers-of-services.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const buf = join(root, 'node_modules', '@bufbuild', 'buf', 'bin', 'buf');
const { status } = spawnSync(process.execPath, [buf, 'generate', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
if (status === 0) {
  writeFileSync(join(root, callersFile), await callersText(join(root, 'proto', 'gen')));
  spawnSync(process.execPath, [join(root, 'scripts', 'render-nats.ts')], { stdio: 'inherit' });
  // It loads the gateway, which imports what was just generated.
  const { clientTypesFile, clientTypesText } = await import('./client-types.ts');
  writeFileSync(join(root, clientTypesFile), await clientTypesText());
  const { pythonModelsFile, pythonModelsText, pythonWithGenerator } = await import('./python-models.ts');
  const python = pythonWithGenerator();
  if (python === undefined) process.stderr.write(`${pythonModelsFile} is as it was: there is no python3 with venv\n`);
  else writeFileSync(join(root, pythonModelsFile), await pythonModelsText(python));
}
process.exitCode = status ?? 1;
