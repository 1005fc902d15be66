import { parseSettings } from '@agentmesh/lib/service';
import { describe, expect, it } from 'vitest';
import { createKeyRing } from './key-ring.ts';
import { signingKeysOf, tokenSigningKeys } from './signing-keys.ts';

const root = 'the text of ENCRYPT_KEY, which is longer than 32 bytes';
const [a, b] = ['a'.repeat(32), 'b'.repeat(43)];
const settings = { TOKEN_SIGNING_KEYS: tokenSigningKeys({ default: [undefined] }) };
const keysOf = (text?: string) =>
  signingKeysOf({ ENCRYPT_KEY: root, ...parseSettings(settings, { TOKEN_SIGNING_KEYS: text }) });

describe('keys that sign', () => {
  it('are ENCRYPT_KEY alone, without an id, unless the setting names others', () => {
    expect(keysOf()).toEqual([{ id: undefined, secret: root }]);
    expect(keysOf('')).toEqual([{ id: undefined, secret: root }]);
    expect(keysOf(`2026b:${b}`)).toEqual([{ id: '2026b', secret: b }]);
    expect(keysOf(`2026b:${b}, ENCRYPT_KEY,2026a:${a}`)).toEqual([
      { id: '2026b', secret: b },
      { id: undefined, secret: root },
      { id: '2026a', secret: a },
    ]);
  });

  it.each([b, `A:${b}`, `:${b}`, `a:${b},`, `a:${b},a:${a}`, 'ENCRYPT_KEY,ENCRYPT_KEY', 'a:short', `a b:${b}`])(
    'are refused as %j, without a word of a secret',
    (text) => {
      expect(() => keysOf(text)).toThrow(/^TOKEN_SIGNING_KEYS (?!.*(aaaa|bbbb|short))(must be|names|has a key)/);
    },
  );

  it('are found by the id that a header names, and by no other', async () => {
    const ring = await createKeyRing(keysOf(`2026b:${b},ENCRYPT_KEY`), (secret) => secret);
    expect([ring.header, ring.current]).toEqual([{ kid: '2026b' }, b]);
    expect(ring.find({ kid: '2026b' })).toBe(b);
    expect(ring.find({})).toBe(root);
    for (const kid of ['2026a', '', 'ENCRYPT_KEY', 'undefined', null, ['2026b'], '__proto__']) {
      expect(ring.find({ kid })).toBeUndefined();
    }
    const apart = await createKeyRing(keysOf(`2026b:${b}`), (secret) => secret);
    expect(apart.find({})).toBeUndefined();
  });
});
