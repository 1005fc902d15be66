import { get, type IncomingMessage } from 'node:http';

/** Watches a run with many clients to its end, and prints what came as JSON. This file runs as a process of its own: its work is not the gateway's. */
const [url = '', run = '', token = '', viewers = '1'] = process.argv.slice(2);

export interface Watched {
  /** Events that came, over all clients. */
  readonly events: number;
  /** Places where partial events were left out, over all clients. */
  readonly gaps: number;
  /** From the first byte to the last one. */
  readonly seconds: number;
}

const [dataMark, gapMark] = [Buffer.from('\ndata: '), Buffer.from('event: gap')];
let [events, gaps, firstMs, lastMs] = [0, 0, 0, 0];

/** Resolves when the stream is open, for its end. */
async function watch(): Promise<{ readonly ended: Promise<void> }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { authorization: `Bearer ${token}` };
  get(`${url}/runs/${run}/events`, { agent: false, headers }, resolve).once('error', reject);
  const response = await promise;
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}`);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  response.once('end', end);
  let cut = Buffer.alloc(0);
  response.on('data', (bytes: Buffer) => {
    firstMs ||= performance.now();
    lastMs = performance.now();
    const text = Buffer.concat([cut, bytes]);
    events += countOf(text, dataMark);
    gaps += countOf(text, gapMark);
    // A mark that is cut is counted with the next piece, and no mark twice.
    const last = Math.max(text.lastIndexOf(dataMark), text.lastIndexOf(gapMark));
    cut = text.subarray(Math.max(last + 1, text.length - gapMark.length + 1));
  });
  return { ended };
}

function countOf(bytes: Buffer, mark: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + mark.length)) count += 1;
  return count;
}

const streams = await Promise.all(Array.from({ length: Number(viewers) }, watch));
console.log('open');
await Promise.all(streams.map(({ ended }) => ended));
const watched: Watched = { events, gaps, seconds: (lastMs - firstMs) / 1000 };
console.log(JSON.stringify(watched));
