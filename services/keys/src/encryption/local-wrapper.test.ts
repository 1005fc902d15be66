import { expect, test } from 'vitest';
import { createEnvelopes } from './envelopes.ts';
import { createLocalWrapper, deriveKey } from './local-wrapper.ts';

const roots = { current: 'a root key that only tests use', previous: '' };

test('keys of two purposes have nothing in common, and neither is the root', () => {
  const keys = ['saved keys', 'integrations'].map((purpose) => deriveKey(roots, purpose).toString('hex'));
  expect(new Set([...keys, Buffer.from(roots.current).toString('hex')]).size).toBe(3);
  const ids = ['saved keys', 'integrations'].map((purpose) => createLocalWrapper(roots, purpose).currentId);
  expect(new Set(ids).size).toBe(2);
});

// The derivation and the form of envelopes may never change: stored keys must open after an upgrade.
test('an envelope of the first release opens', async () => {
  const stored =
    'v1.7-zX2r6j.NyrUmQZXiaI0d5vh7HYcM4Hm8KeXkL8bcPiDDLfE53CEezHw5PyEIheOjuNYe_eVCPlaTV23I1TVUqME.' +
    'fo7U3OCa3u0Pxf8fWxT-uN4RrDVbi69M9rIR06vM2SUYorOCfQ';
  const owner = '00000000-0000-4000-8000-000000000000';
  const place = { table: 'saved_keys', row: '7', owner, column: 'secret' };
  expect(await createEnvelopes(createLocalWrapper(roots, 'saved keys')).open(stored, place)).toBe('sk-secret');
});
