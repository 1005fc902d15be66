import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { growthMb } from './growth.ts';
import { startMeshOneProcess } from '../targets/mesh-targets.ts';
import type { Part } from './part.ts';
import type { Target } from '../targets/target.ts';

const uploads = 50;
const pieces = 40;
/** Chunk that the client sends again and again, so that it never holds a whole recording. */
const piece = randomBytes(250_000);
const boundary = 'bench';

/** Recordings of 10 MB that are transcribed at the same time, and the memory that they take. */
export const recordings: Part = {
  name: 'recordings',
  measure: async ({ say, signal }) => {
    await using server = await startSpeechServer();
    const settings = { TRANSCRIBE_BASE_URL: server.baseUrl, TRANSCRIBE_API_KEY: 'bench' };
    await using target = await startMeshOneProcess(settings);
    for (let warm = 0; warm < 3; warm += 1) await dictate(target);
    signal.throwIfAborted();
    say(`${uploads} uploads of 10 MB`);
    const started = performance.now();
    const all = () => Promise.all(Array.from({ length: uploads }, () => dictate(target)));
    const growth = await growthMb(target, async () => void (await all()));
    const seconds = (performance.now() - started) / 1000;
    return [
      { label: `${uploads} recordings of 10 MB at once, growth of the process in MB`, value: growth, atMost: 64 },
      { label: `${uploads} recordings of 10 MB at once, MB/s`, value: (uploads * 10) / seconds },
    ];
  },
};

async function dictate(target: Target): Promise<void> {
  const sent = request(`${target.url}/api/audio/transcribe`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${target.token}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.write(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF\0\0\0\0WAVEfmt `,
  );
  for (let count = 0; count < pieces; count += 1) {
    if (!sent.write(piece)) await once(sent, 'drain');
  }
  sent.end(`\r\n--${boundary}--\r\n`);
  const [answer] = await answered;
  if (answer.statusCode !== 200) throw new Error(`a recording was answered with ${answer.statusCode}`);
  for await (const _chunk of answer);
}

/** Reads whatever it is sent and hears nothing in it. */
async function startSpeechServer(): Promise<AsyncDisposable & { readonly baseUrl: string }> {
  const server = createServer((received, response) => {
    received.resume().once('end', () => response.setHeader('content-type', 'application/json').end('{"text":""}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
