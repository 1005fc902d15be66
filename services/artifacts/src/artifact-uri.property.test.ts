import { randomUUID } from 'node:crypto';
import { isMeshError } from '@agentmesh/lib/rpc';
import { ArtifactKeySchema } from '@agentmesh/proto/artifacts/v1';
import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storedKey, storedName } from './artifact-key.ts';
import { canonicalUri, parseReference } from './artifact-uri.ts';

const accountId = randomUUID();
const text = fc.string({
  unit: fc.constantFrom(
    'a',
    'é',
    '🎿',
    ' ',
    '%',
    '%41',
    '?',
    '#',
    ':',
    '@',
    '.',
    '..',
    '/',
    '\\',
    '\0',
    'user:',
    'versions',
  ),
  maxLength: 6,
});
const junk = fc.oneof(text, fc.string({ unit: 'binary', maxLength: 20 }));
const segment = text.filter((id) => id.trim() !== '' && !/[/\\\0]/.test(id) && id !== '..');

/** Returns the result of `work`; undefined when it throws a MeshError. Fails on any other error. */
function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    expect(isMeshError(error) && error.code).toBe('invalid_argument');
    return undefined;
  }
}

describe('names', () => {
  it('are normalised for any input, and a normalised name does not change', () => {
    fc.assert(
      fc.property(junk, (sent) => {
        const name = unlessRefused(() => storedName(sent));
        if (name === undefined) return;
        expect(storedName(name)).toBe(name);
        expect(name.split('/')).not.toContain('..');
        expect(name).not.toMatch(/^\/|\\|\0|\/$|\/\//);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('references', () => {
  it('are parsed to the version that they were made from', () => {
    fc.assert(
      fc.property(
        fc.record({ appName: segment, userId: segment, sessionId: segment, name: junk }),
        fc.nat(),
        (sent, version) => {
          const key = unlessRefused(() => storedKey(create(ArtifactKeySchema, { accountId, ...sent })));
          if (key === undefined) return;
          expect(parseReference(canonicalUri(key, version), key, sent.sessionId.trim())).toEqual({ key, version });
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('never leave account, app, user and session, for any input', () => {
    const from = [accountId, 'app', 'u', 's', 'x'] as const;
    const part = fc.constantFrom('app', 'u', 's', 'x', 'other', '..', '%2e%2e', 'user:y', '', 'versions/1');
    const uri = fc
      .array(fc.oneof(fc.constantFrom('apps/', '/users/', '/sessions/', '/artifacts/', '/versions/', '0'), part), {
        maxLength: 12,
      })
      .map((parts) => `artifact://${parts.join('')}`);
    fc.assert(
      fc.property(uri, (given) => {
        const reference = unlessRefused(() => parseReference(given, from, 's'));
        if (reference === undefined) return;
        const [account, appName, userId, sessionId, name] = reference.key;
        expect([account, appName, userId]).toEqual([accountId, 'app', 'u']);
        expect(sessionId).toBe(name.startsWith('user:') ? '' : 's');
      }),
      { numRuns: 3000 },
    );
  });
});
