import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decrypt, encrypt } from './aes-gcm.ts';
import { createEnvelopes, type Place } from './envelopes.ts';
import { createLocalWrapper } from './local-wrapper.ts';

const place: Place = { table: 'saved_keys', row: '7', owner: randomUUID(), column: 'secret' };
const open = (current: string, previous = '') => createEnvelopes(createLocalWrapper({ current, previous }, 'tests'));
const envelopes = open('a root key that only tests use');
const texts = fc.string({ unit: 'grapheme', maxLength: 600 });

describe('an envelope', () => {
  test('opens to its text, and two envelopes of one text have nothing in common', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const [one, two] = [await envelopes.seal(text, place), await envelopes.seal(text, place)];
        expect(await envelopes.open(one, place)).toBe(text);
        const pieces = (envelope: string) => envelope.split('.').slice(2);
        expect(pieces(one).filter((piece) => pieces(two).includes(piece))).toEqual([]);
      }),
    );
  });

  test('has the form v1.<key id>.<wrapped key>.<text>, all of it safe for SQL and JSON', async () => {
    const envelope = await envelopes.seal('sk-secret', place);
    expect(envelope).toMatch(/^v1\.[\w-]{8}\.[\w-]{80}\.[\w-]+$/);
    expect(envelope.startsWith(envelopes.currentPrefix)).toBe(true);
  });

  test('does not open when any of its characters is another one', async () => {
    const envelope = await envelopes.seal('sk-secret', place);
    for (let at = 0; at < envelope.length; at += 1) {
      const changed = envelope[at] === 'A' ? 'B' : 'A';
      const forged = envelope.slice(0, at) + changed + envelope.slice(at + 1);
      expect(await envelopes.open(forged, place)).toBeUndefined();
    }
  });

  test('does not open when it is cut, extended, or not an envelope at all', async () => {
    const envelope = await envelopes.seal('sk-secret', place);
    for (let end = 0; end < envelope.length; end += 1) {
      expect(await envelopes.open(envelope.slice(0, end), place)).toBeUndefined();
    }
    for (const text of [`${envelope}.`, `${envelope}A`, `${envelope}=`, ` ${envelope}`, 'v1...', '....']) {
      expect(await envelopes.open(text, place)).toBeUndefined();
    }
    await fc.assert(fc.asyncProperty(fc.string(), async (text) => (await envelopes.open(text, place)) === undefined));
  });

  test.each(['table', 'row', 'owner', 'column'] as const)('does not open under another %s', async (part) => {
    const envelope = await envelopes.seal('sk-secret', place);
    expect(await envelopes.open(envelope, { ...place, [part]: `${place[part]}0` })).toBeUndefined();
  });

  test('does not open where the parts of the place are joined in another way', async () => {
    const envelope = await envelopes.seal('x', { table: 'a', row: 'b","c', owner: 'd', column: 'e' });
    expect(await envelopes.open(envelope, { table: 'a","b', row: 'c', owner: 'd', column: 'e' })).toBeUndefined();
  });

  test('opens only under its own root key and for its own purpose', async () => {
    const envelope = await envelopes.seal('sk-secret', place);
    expect(await open('another root key').open(envelope, place)).toBeUndefined();
    const other = createEnvelopes(createLocalWrapper({ current: 'a root key that only tests use', previous: '' }, 'x'));
    expect(await other.open(envelope, place)).toBeUndefined();
  });

  test('rejects when the driver fails, so that an outage never looks like a lost key', async () => {
    const away = () => Promise.reject(new Error('away'));
    const failing = createEnvelopes({ currentId: 'k', wrap: away, unwrap: away });
    await expect(failing.seal('x', place)).rejects.toThrow('away');
    await expect(failing.open(await envelopes.seal('x', place), place)).rejects.toThrow('away');
  });
});

describe('a former root key', () => {
  const former = ['plain', 'with, comma', ' with blanks ', 'a'.repeat(64)];
  test.each(former)('"%s" still decrypts and never encrypts', async (root) => {
    const sealed = await open(root).seal('sk-secret', place);
    for (const previous of [root, `${root},other`, `other,${root}`]) {
      if (root.includes(',') && previous !== root) continue;
      const rotated = open('the new root key', previous);
      expect(await rotated.open(sealed, place)).toBe('sk-secret');
      expect(sealed.startsWith(rotated.currentPrefix)).toBe(false);
      const resealed = await rotated.seal('sk-secret', place);
      expect(resealed.startsWith(rotated.currentPrefix)).toBe(true);
      expect(await open(root).open(resealed, place)).toBeUndefined();
    }
  });

  test('that is blank is none', async () => {
    const sealed = await open('').seal('x', place);
    expect(await open('new', ' ,, ').open(sealed, place)).toBeUndefined();
  });
});

describe('AES-256-GCM', () => {
  const key = Buffer.alloc(32, 7);

  test('accepts no tag of less than 16 bytes', () => {
    const sealed = encrypt(key, Buffer.from('text'), Buffer.alloc(0));
    for (let end = 0; end < sealed.length; end += 1) {
      expect(decrypt(key, sealed.subarray(0, end), Buffer.alloc(0))).toBeUndefined();
    }
  });

  test('never uses an IV twice', () => {
    const ivs = Array.from({ length: 1_000 }, () => encrypt(key, Buffer.alloc(0), Buffer.alloc(0)).subarray(0, 12));
    expect(new Set(ivs.map((iv) => iv.toString('hex'))).size).toBe(1_000);
  });
});
