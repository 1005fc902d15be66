import type { RunFrameSchema } from '@agentmesh/proto/runs/v1';
import type { StoredEvent } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { beginOf } from '../live/partial-numbers.ts';

export type Frame = MessageInitShape<typeof RunFrameSchema>;

/** Partial events that an executor made one after the other. */
export interface Partials {
  /** Sequence of the newest event that the executor had stored before. */
  readonly lastSeq: number;
  /** Number of the first of them, from 1 after each stored event, or from that of its attempt. */
  readonly firstPartial: number;
  readonly partials: readonly { readonly json: Uint8Array }[];
}

const nothing = new Uint8Array(0);

/** The place that a viewer of a run has reached. It makes frames of what is behind the place, and leaves out what is not. */
export class RunPlace {
  #seq: number;
  #partial: number;

  constructor({ seq, partial }: { readonly seq: number; readonly partial: number }) {
    this.#seq = seq;
    this.#partial = partial;
  }

  /** Stored events behind this sequence have not been seen. */
  get seq(): number {
    return this.#seq;
  }

  stored(events: readonly Pick<StoredEvent, 'seq' | 'json'>[]): Frame[] {
    const unseen = events.filter(({ seq }) => seq > this.#seq);
    const last = unseen.at(-1);
    if (last !== undefined) [this.#seq, this.#partial] = [last.seq, 0];
    return unseen.map(({ seq, json }) => ({ seq, partial: 0, json }));
  }

  /** Partial events whose stored events have all been seen. A frame without JSON comes before them where others are missing. */
  partials({ lastSeq, firstPartial, partials }: Partials): Frame[] {
    if (lastSeq < this.#seq) return [];
    if (lastSeq > this.#seq) [this.#seq, this.#partial] = [lastSeq, 0];
    const next = 1 + (this.#partial === 0 ? beginOf(firstPartial) : this.#partial);
    const unseen = partials.slice(Math.max(0, next - firstPartial));
    if (unseen.length === 0) return [];
    const first = Math.max(firstPartial, next);
    const gap = first > next ? [{ seq: lastSeq, partial: first - 1, json: nothing }] : [];
    this.#partial = first + unseen.length - 1;
    return [...gap, ...unseen.map(({ json }, index) => ({ seq: lastSeq, partial: first + index, json }))];
  }
}
