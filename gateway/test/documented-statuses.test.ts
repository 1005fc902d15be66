import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MeshCode, MeshError } from '@agentmesh/lib/rpc';
import { expect, test } from 'vitest';
import { problemOf } from '../src/edge/errors/problem.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Row {
  readonly reason: string;
  readonly code: MeshCode;
  readonly http: string;
  readonly meaning: string;
}

/** Rows of the tables of reasons that have a status. A row may name several reasons. */
const rows = ['docs/errors.md', 'docs/errors-of-runs.md'].flatMap((page): Row[] =>
  Array.from(
    read(page).matchAll(/^\| (`\w+`(?:, `\w+`)*) \| `(\w+)` \| (\d+) \| (.*) \|$/gm),
    ([, reasons = '', code, http = '', meaning = '']) =>
      Array.from(reasons.matchAll(/\w+/g), ([reason]) => ({ reason, code: code as MeshCode, http, meaning })),
  ).flat(),
);

/** Sources that answer errors of services as a 422 at the field that they blame. */
const naming = globSync('gateway/src/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .map(read)
  .filter((text) => /new InvalidRequest\(|fieldFault\(/.test(text))
  .join('\n');

/** Whether a route answers a reason with 422 although its code has another status: it is a key of a map of fields, or the gateway names it. */
function isNamedAtField({ reason, code }: Row): boolean {
  // The gateway's own 422 has this code too.
  if (reason === 'request_invalid') return false;
  const isKey = new RegExp(`\\b${reason}: ['[]`).test(naming);
  const isNamed = code === 'invalid_argument' && naming.includes(`'${reason}'`);
  return isKey || isNamed || /^subscription_\w+_invalid$/.test(reason);
}

test('the statuses of docs/errors.md are those that the gateway answers', () => {
  expect(rows.length).toBeGreaterThan(200);
  const wrong = rows.filter((row) => {
    const { reason, code, http, meaning } = row;
    const status = String(problemOf(new MeshError(code, reason, ''))?.status);
    if (!isNamedAtField(row)) return http !== status;
    // Some routes have the field, and others do not.
    return http !== '422' && !(http === status && meaning.includes('422'));
  });
  expect(wrong).toEqual([]);
});
