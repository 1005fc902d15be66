import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, startEdge } from '../edge.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({});
});
afterAll(() => edge[Symbol.asyncDispose]());

describe('a body', () => {
  it('that is JSON under another content type is told which one to send', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const { body } = await edge.send('/run', { text: '{"appName":"a"}', headers: { 'content-type': type } });
      expect(body).toMatchObject({ detail: [{ msg: 'send content-type: application/json' }], code: 'request_invalid' });
    }
    const { body } = await edge.send('/run', { json: 'x' });
    expect(body).toMatchObject({
      detail: [{ msg: expect.stringContaining('valid dictionary') }],
      code: 'request_invalid',
    });
  });
});
