import { AgentMesh } from '@agentmesh/client';
import { expect, test } from 'vitest';

const mebibytes = 16;
const pieceBytes = 4_096;
/** Seconds of the processor. A reader that looks again at all that has come with each piece needs twenty or more. */
const mostSeconds = 5;

/** A client whose server answers with `before`, a long text and `after`, in small pieces. */
function clientOf(before: string, after: string): AgentMesh {
  const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
  const piece = new Uint8Array(pieceBytes).fill(97);
  let left = (mebibytes * 1024 * 1024) / pieceBytes;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encode(before)),
    pull: (controller) => {
      if (left-- > 0) return controller.enqueue(piece);
      controller.enqueue(encode(after));
      controller.close();
    },
  });
  const fetch = () => Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  return new AgentMesh({ url: 'http://mesh', token: 't', fetch });
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const end = 'event: end\nid: 1-end1\ndata: {"invocationId":"e-1","status":"completed"}\n\n';

test('an event of many bytes is read in a time that grows with their number alone', { timeout: 120_000 }, async () => {
  const mesh = clientOf('id: 1\ndata: {"author":"echo","content":{"parts":[{"text":"', `"}]}}\n\n${end}`);
  let length = 0;
  const read = async () => (length = (await mesh.runs.watch('e-1').final()).text.length);
  expect(await secondsOf(read)).toBeLessThan(mostSeconds);
  expect(length).toBe(mebibytes * 1024 * 1024);
});

test('so is a line of an export', { timeout: 120_000 }, async () => {
  const mesh = clientOf('{"kind":"event","data":"', '"}\n{"kind":"end","data":{}}\n');
  const lengths: number[] = [];
  const read = async () => {
    for await (const line of mesh.account.export()) lengths.push(line.length);
  };
  expect(await secondsOf(read)).toBeLessThan(mostSeconds);
  expect(lengths).toEqual([mebibytes * 1024 * 1024 + 26, 24]);
});
