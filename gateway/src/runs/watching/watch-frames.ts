import { runRecord } from '@agentmesh/proto/run-record';
import type { RunFrame } from '@agentmesh/proto/runs/v1';
import { RunStatus, type LedgerRun } from '@agentmesh/proto/sessions/v1';
import { type Place, printPlace } from './place-id.ts';

const [data, end] = [Buffer.from('\ndata: '), Buffer.from('\n\n')];

/** First lines of a stream: how long a browser waits before it connects again. */
export const retryLines = Buffer.from('retry: 1000\n\n');

/** Frames as the text of a stream. */
export interface PrintedFrames {
  readonly bytes: Uint8Array;
  /** Length of the text up to the end of each frame. */
  readonly ends: readonly number[];
}

/** Prints frames of events, and of gaps between them. */
export function printFrames(frames: readonly RunFrame[]): PrintedFrames {
  const heads = frames.map((frame) => (frame.json.length === 0 ? gapFrame(frame) : `id: ${printPlace(frame)}`));
  let length = 0;
  const ends = frames.map(({ json }, index) => {
    length += (heads[index] ?? '').length + (json.length === 0 ? 0 : data.length + json.length + end.length);
    return length;
  });
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  frames.forEach(({ json }, index) => {
    at += bytes.write(heads[index] ?? '', at, 'latin1');
    if (json.length === 0) return;
    for (const part of [data, json, end]) {
      bytes.set(part, at);
      at += part.length;
    }
  });
  return { bytes, ends };
}

/** Its id is the last place that is missing. */
function gapFrame(place: Place): string {
  const id = printPlace(place);
  return `event: gap\nid: ${id}\ndata: ${JSON.stringify({ upTo: id })}\n\n`;
}

/** A comment that names the place of a queued run, or what a running one waits for; undefined for another run. */
export function waitComment(run: LedgerRun | undefined): Uint8Array | undefined {
  if (run?.status === RunStatus.QUEUED) return Buffer.from(`: queued ${run.queuePosition}\n\n`);
  if (run?.status !== RunStatus.RUNNING || run.waitingOn === '') return undefined;
  return Buffer.from(`: waiting for ${run.waitingOn}\n\n`);
}

/** The last frame, with the record of the run. */
export function endFrame(run: LedgerRun, seq: number): Uint8Array {
  const id = printPlace({ seq, partial: 0, endOf: run.attempt });
  return Buffer.concat([Buffer.from(`event: end\nid: ${id}`), data, runRecord(run), end]);
}
