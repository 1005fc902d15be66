import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type FastifyInstance, fastify } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UploadReader } from '../../src/edge/streams/upload-reader.ts';
import { HttpError } from '../../src/edge/errors/request-error.ts';
import { limitBodyTime } from '../../src/edge/bodies/body-time.ts';

let app: FastifyInstance;
let url: string;

beforeAll(async () => {
  app = fastify();
  limitBodyTime(app, { idleMs: 150, totalMs: 60_000 });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.post('/whole', async ({ body }) => ({ body }));
  app.post('/flowing', { config: { flows: true } }, async ({ raw }) => {
    let length = 0;
    for await (const chunk of new UploadReader(raw, { idleMs: 3_000 })) length += chunk.length;
    return { length };
  });
  app.setErrorHandler((error, _request, reply) => reply.code(error instanceof HttpError ? error.status : 500).send());
  url = await app.listen({ port: 0 });
});
afterAll(() => app.close());

/** Sends a byte, pauses, and sends another one; without a pause both are sent together. */
async function sendSlowly(path: string, type: string, pauseMs = 0): Promise<number | undefined> {
  const sent = request(url + path, { method: 'POST', headers: { 'content-type': type } });
  sent.on('error', () => undefined);
  if (pauseMs === 0) sent.end('ab');
  else sent.write('a');
  const rest = pauseMs === 0 ? undefined : setTimeout(() => sent.end('b'), pauseMs);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  clearTimeout(rest);
  response.resume();
  sent.destroy();
  return response.statusCode;
}

describe('a body that arrives slowly', () => {
  it('is refused with 408 if it is not complete in time', async () => {
    expect(await sendSlowly('/whole', 'text/plain')).toBe(200);
    expect(await sendSlowly('/whole', 'text/plain', 60_000)).toBe(408);
  });

  it('may take longer on a streaming route, as long as data arrives', async () => {
    expect(await sendSlowly('/flowing', 'image/png', 250)).toBe(200);
    expect(await sendSlowly('/flowing', 'image/png', 60_000)).toBe(408);
  });
});

it('leaves no timer behind when a request is answered before its body has arrived and its client goes', async () => {
  await using own = fastify();
  limitBodyTime(own, { idleMs: 3_600_000, totalMs: 3_600_000 });
  own.addHook('onRequest', (_request, reply) => reply.code(401).header('connection', 'close').send());
  own.post('/', () => 'unreachable');
  const address = await own.listen({ port: 0 });
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  for (let count = 0; count < 50; count += 1) {
    const sent = request(address, { method: 'POST', headers: { 'content-length': 1_000_000 } });
    sent.on('error', () => undefined).write('x');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    sent.destroy();
  }
  await expect.poll(() => timers() - before, { timeout: 30_000 }).toBeLessThan(25);
});
