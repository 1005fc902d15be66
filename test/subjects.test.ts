import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { subjectOf } from '@agentmesh/lib/bus';
import * as auth from '@agentmesh/proto/auth/v1';
import * as integrations from '@agentmesh/proto/keys/v1/integrations';
import * as runs from '@agentmesh/proto/runs/v1';
import * as agents from '@agentmesh/proto/runs/v1/agents';
import * as live from '@agentmesh/proto/runs/v1/live';
import * as notices from '@agentmesh/proto/runs/v1/notices';
import * as sessions from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** `[subject, message]` of each row of docs/subjects.md. */
function documented(): [string, string][] {
  const page = readFileSync(join(root, 'docs/subjects.md'), 'utf8');
  return [...page.matchAll(/^\| `([^`]+)` \| `([^`]+)` \|/gm)].map(([, subject = '', message = '']) => [
    subject,
    message,
  ]);
}

/** The names of message types that the sources publish or subscribe to. */
function used(): string[] {
  const files = ['lib', 'gateway', 'services'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(root, folder, file)),
  );
  const sources = files.filter(
    (file) => /(?<!\.d|\.test)\.ts$/.test(file) && !/\/(node_modules|dist|test)\//.test(file),
  );
  const uses = sources.flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(
      /^(?! \*).*\b(?:publish|subscribe|consume|subjectOf|writeOutbox)\((?:\s*tx,)?\s*(\w+)Schema\b/gm,
    ),
  ]);
  return [...new Set(uses.map(([, name = '']) => name))];
}

test('each subject of docs/subjects.md is derived from its message', () => {
  const schemas = {
    ...auth,
    ...integrations,
    ...sessions,
    ...runs,
    ...agents,
    ...live,
    ...notices,
  } as unknown as Record<string, Parameters<typeof subjectOf>[0]>;
  const derived = documented().map(([, message]) => {
    const schema = schemas[`${message}Schema`];
    return [schema && subjectOf(schema), message];
  });
  expect(derived).toEqual(documented());
});

test('docs/subjects.md lists every topic of the sources', () => {
  const messages = documented().map(([, message]) => message);
  expect(used().toSorted()).toEqual(messages.toSorted());
});
