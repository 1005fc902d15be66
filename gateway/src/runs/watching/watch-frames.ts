import { runRecord } from '@agentmesh/proto/run-record';
import type { RunFrame } from '@agentmesh/proto/runs/v1';
import { RunStatus, type LedgerRun } from '@agentmesh/proto/sessions/v1';
import { type Place, printPlace } from './place-id.ts';

const [data, end] = [Buffer.from('\ndata: '), Buffer.from('\n\n')];

/** First lines of a stream: how long a browser waits before it connects again. */
export const retryLines = Buffer.from('retry: 1000\n\n');

/** Frames of events, and of gaps between them. */
export function framesOf(frames: readonly RunFrame[]): Uint8Array {
  return Buffer.concat(
    frames.flatMap(({ json, ...place }) =>
      json.length === 0 ? [gapFrame(place)] : [Buffer.from(`id: ${printPlace(place)}`), data, json, end],
    ),
  );
}

/** Its id is the last place that is missing. */
function gapFrame(place: Place): Uint8Array {
  const id = printPlace(place);
  return Buffer.from(`event: gap\nid: ${id}\ndata: ${JSON.stringify({ upTo: id })}\n\n`);
}

/** A comment that names the place of a queued run; undefined for another run. */
export function queueComment(run: LedgerRun | undefined): Uint8Array | undefined {
  if (run?.status !== RunStatus.QUEUED) return undefined;
  return Buffer.from(`: queued ${run.queuePosition}\n\n`);
}

/** The last frame, with the record of the run. */
export function endFrame(run: LedgerRun, seq: number): Uint8Array {
  const id = printPlace({ seq, partial: 0, endOf: run.attempt });
  return Buffer.concat([Buffer.from(`event: end\nid: ${id}`), data, runRecord(run), end]);
}
