import { create } from '@bufbuild/protobuf';
import { LedgerRunSchema, RunStatus } from '@agentmesh/proto/sessions/v1';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hear, resultOf, type Said } from './tool-result.ts';
import { toolName } from './tools.ts';

const run = (over: object = {}) =>
  create(LedgerRunSchema, { invocationId: 'e-1', sessionId: 's-1', status: RunStatus.COMPLETED, ...over });

test('files of an agent are blocks of their kind, in the alphabet of the protocol', () => {
  const said: Said = { text: 'look', files: [] };
  const data = Buffer.from([0xfb, 0xff, 0xfe]).toString('base64url');
  for (const mimeType of ['image/png', 'audio/wav', 'application/pdf']) hear(said, { kind: 'file', mimeType, data });
  hear(said, { kind: 'file', mimeType: 'text/html', uri: 'https://example.com/a' });
  expect(resultOf(run(), said).content).toEqual([
    { type: 'text', text: 'look' },
    { type: 'image', mimeType: 'image/png', data: '+//+' },
    { type: 'audio', mimeType: 'audio/wav', data: '+//+' },
    { type: 'resource', resource: { uri: 'data:application/pdf', mimeType: 'application/pdf', blob: '+//+' } },
    { type: 'resource_link', mimeType: 'text/html', uri: 'https://example.com/a', name: 'https://example.com/a' },
  ]);
});

test('a run that failed behind some words has both, and is an error', () => {
  const failed = run({ status: RunStatus.FAILED, errorCode: 'NO', errorMessage: 'no more' });
  expect(resultOf(failed, { text: 'so far', files: [] })).toMatchObject({
    isError: true,
    content: [{ text: 'so far' }, { text: 'no more' }],
    structuredContent: { status: 'failed', error_code: 'NO', text: 'so far' },
  });
});

test('names of tools are ones that every model takes, and no two apps share one', () => {
  const name = fc.oneof(
    fc.string({ minLength: 1, maxLength: 90, unit: 'grapheme' }),
    fc.stringMatching(/^[a-z_ .]{60,70}$/),
  );
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 20 }), (apps) => {
      const names = apps.map(toolName);
      for (const one of names) expect(one).toMatch(/^[\w-]{1,64}$/);
      expect(new Set(names).size).toBe(apps.length);
    }),
  );
  expect(toolName('agent7')).toBe('agent7');
});
