import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Component, knownVulnerabilities, type Library, refusedLicenses } from './supply-chain-faults.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(root, 'node_modules', '.cache');
const sbomFile = join(cache, 'sbom.cdx.json');
const { config } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { config: { pnpm: string } };

function pnpm(...args: string[]) {
  const { status, stdout, stderr } = spawnSync('npx', ['-y', config.pnpm, ...args], { cwd: root, encoding: 'utf8' });
  return { ok: status === 0, output: `${stdout}${stderr}` };
}

/** Writes what is installed, with its licences and hashes, as CycloneDX. */
function writeSbom(): Component[] {
  mkdirSync(cache, { recursive: true });
  const made = pnpm('sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--out', sbomFile);
  if (!made.ok) throw new Error(`The list of packages could not be made: ${made.output}`);
  return (JSON.parse(readFileSync(sbomFile, 'utf8')) as { components: Component[] }).components;
}

/** The database of Retire.js, which a package ships: it needs no network, and knows few libraries. */
function readDatabase(): Library[] {
  const file = createRequire(import.meta.url).resolve(
    '@salesforce/code-analyzer-retirejs-engine/vulnerabilities/RetireJsVulns.json',
  );
  const libraries = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Omit<Library, 'name'>>;
  return Object.entries(libraries).map(([name, library]) => ({ ...library, name: library.npmname ?? name }));
}

const components = writeSbom();
const database = readDatabase();
const { found, known } = knownVulnerabilities(components, database);
const faults = [...refusedLicenses(components), ...found];
const audit = pnpm('audit');
const isRefused = !audit.ok && /endpoint|ENOTFOUND|fetch|network/i.test(audit.output);
if (!audit.ok && !isRefused) faults.push(audit.output);

console.log(`${components.length} packages: ${sbomFile}`);
console.log(`offline: the database knows ${known} of them`);
console.log(
  isRefused ? 'NOT CHECKED against the registry, whose advisories cannot be reached' : 'checked against the registry',
);
for (const fault of faults) console.error(fault);
console.log(`${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
