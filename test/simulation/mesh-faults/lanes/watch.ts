import type { EventJson } from '@agentmesh/proto/event';
import { createParser } from 'eventsource-parser';
import type { Client } from '../clients/client.ts';
import type { RunJson } from '../clients/runs.ts';

/** A frame of the events of a run. */
export interface Frame {
  /** `message`, `gap` or `end`. */
  readonly event: string;
  readonly id: string;
  readonly data: unknown;
}

export interface WatchOptions {
  readonly id: string;
  /** Frames that were seen before; new ones are added. */
  readonly frames: Frame[];
  /** Leaves after so many new frames. */
  readonly most: number;
}

/** A stream without a byte for so long hangs: a comment comes every 15 s. */
const silenceMs = 60_000;

/** How a look at the stream ended: the client left, the connection broke or was refused, or the end was seen before. */
export type Left = 'cut' | 'broken' | 'seen';

/** Reads the events of a run behind those that were seen, from any gateway, until the client leaves or the stream ends. */
export async function watch(client: Client, { id, frames, most }: WatchOptions): Promise<Left> {
  const leaving = new AbortController();
  const seen = frames.length;
  let timer: NodeJS.Timeout | undefined;
  try {
    const last = frames.at(-1)?.id;
    const headers = {
      authorization: `Bearer ${client.caller.token}`,
      ...(last !== undefined && { 'last-event-id': last }),
    };
    timer = setTimeout(() => leaving.abort(), silenceMs);
    const response = await fetch(`${client.url}/runs/${id}/events`, { headers, signal: leaving.signal });
    client.tally.answered(response.status);
    if (response.status === 204) return 'seen';
    if (response.status !== 200 || response.body === null) return 'broken';
    const parser = createParser({
      onEvent: ({ event = 'message', id: place = '', data }) =>
        frames.push({ event, id: place, data: JSON.parse(data) as unknown }),
    });
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      timer.refresh();
      parser.feed(chunk);
      if (frames.length - seen < most) continue;
      // A client that leaves here has not read the rest of the chunk.
      frames.length = seen + most;
      return 'cut';
    }
    return 'broken';
  } catch {
    return 'broken';
  } finally {
    clearTimeout(timer);
    leaving.abort();
  }
}

export function isWhole({ event, data }: Frame): boolean {
  return event === 'message' && (data as EventJson).partial !== true;
}

export function endOf(frames: readonly Frame[]): RunJson | undefined {
  return frames.find(({ event }) => event === 'end')?.data as RunJson | undefined;
}
