import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A frame of a stream of a run's events. */
export interface RunFrame {
  /** `message` for an event, `gap` or `end`. */
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

export interface FollowOptions {
  /** Addresses of gateways. Each connection goes to one of them. */
  readonly urls: readonly string[];
  readonly token: string;
  readonly run: string;
  /** Numbers from 0 to 1; they decide where the connection is cut, who is asked and how. */
  readonly random: () => number;
  /** After how many bytes a connection is cut at the latest. */
  readonly mostBytes: number;
}

export interface Followed {
  readonly frames: readonly RunFrame[];
  readonly cuts: number;
  /** Connections that an error of the server or a broken socket has ended. */
  readonly failures: number;
}

const pauseMs = 50;
/** More failures than a mesh has while it is disturbed. */
const mostFailures = 2_000;

/** Follows a run to its end over connections that are cut after any number of bytes, and once more after the end, which must be answered 204. */
export async function followRun(options: FollowOptions): Promise<Followed> {
  const frames: RunFrame[] = [];
  let [cuts, failures] = [0, 0];
  for (;;) {
    const ending = await connect(options, frames);
    if (ending === 'over') return { frames, cuts, failures };
    if (ending === 'cut') cuts += 1;
    else {
      failures += 1;
      if (failures > mostFailures) throw new Error(`the stream fails again and again: ${ending}`);
      await sleep(pauseMs);
    }
  }
}

/** Reads one connection. Bytes behind the last whole frame are forgotten, as an EventSource does. */
async function connect({ urls, token, run, random, mostBytes }: FollowOptions, frames: RunFrame[]): Promise<string> {
  const last = frames.at(-1)?.id;
  const isHeader = random() < 0.5;
  const query = last === undefined || isHeader ? '' : `?after=${last}`;
  const headers = {
    authorization: `Bearer ${token}`,
    ...(last !== undefined && isHeader && { 'last-event-id': last }),
  };
  const url = urls[Math.floor(random() * urls.length)] ?? '';
  const most = Math.floor(random() ** 2 * mostBytes);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(`${url}/runs/${run}/events${query}`, { agent: false, headers }, resolve).once('error', reject);
  try {
    const response = await promise;
    if (response.statusCode === 204) {
      response.resume();
      return frames.at(-1)?.event === 'end' ? 'over' : 'refused before the end';
    }
    if (response.statusCode !== 200) {
      response.resume();
      return `status ${response.statusCode}`;
    }
    return await read(response, { most, frames });
  } catch (error) {
    return String(error);
  }
}

async function read(
  response: IncomingMessage,
  { most, frames }: { readonly most: number; readonly frames: RunFrame[] },
): Promise<string> {
  let left = most;
  let text = '';
  for await (const piece of response) {
    const bytes = (piece as Buffer).subarray(0, left);
    left -= bytes.length;
    text += bytes.toString('latin1');
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    frames.push(...blocks.flatMap(frameOf));
    if (left > 0) continue;
    response.destroy();
    return 'cut';
  }
  return 'the end of the stream';
}

/** Comments, and the lines that come first, have no frame. */
function frameOf(block: string): RunFrame[] {
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  const [id, data, event = 'message'] = [fields.get('id'), fields.get('data'), fields.get('event')];
  return id === undefined || data === undefined ? [] : [{ event, id, data: Buffer.from(data, 'latin1').toString() }];
}

/** Throws unless the frames are whole, in order, each once, with gaps told and one end; `ids` are those of the stored events. */
export function checkFrames(frames: readonly RunFrame[], ids: readonly string[]): void {
  const messages = frames.filter(({ event }) => event === 'message');
  const events = messages.map(({ data }) => JSON.parse(data) as { id: string; partial?: boolean });
  const whole = events.filter(({ partial }) => partial !== true).map(({ id }) => id);
  fail(
    whole.length !== ids.length || whole.some((id, index) => id !== ids[index]),
    `${whole.join()} instead of ${ids.join()}`,
  );
  fail(new Set(frames.map(({ id }) => id)).size !== frames.length, 'an id came twice');
  fail(frames.findIndex(({ event }) => event === 'end') !== frames.length - 1, 'the end is not the only last frame');
  let [seq, partial] = [0, 0];
  for (const { event, id } of frames.slice(0, -1)) {
    const [nextSeq = 0, nextPartial = 0] = id.split('-').map(Number);
    const reached = nextSeq === seq ? partial : 0;
    fail(nextSeq < seq || (nextSeq === seq && nextPartial <= partial), `${id} came after ${seq}-${partial}`);
    fail(event === 'message' && nextPartial > reached + 1, `${id} came after ${seq}-${partial} without a gap`);
    [seq, partial] = [nextSeq, nextPartial];
  }
}

function fail(isWrong: boolean, text: string): void {
  if (isWrong) throw new Error(text);
}
