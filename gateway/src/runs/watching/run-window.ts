import type { RunFrame } from '@agentmesh/proto/runs/v1';
import { isBehind, type Place } from './place-id.ts';
import { printFrames } from './watch-frames.ts';

/** Most bytes that are kept for viewers who come later or read slowly, unless one piece alone is larger. */
const mostBytes = 1024 * 1024;
/** Most bytes that all windows of a process keep behind what is being sent. */
export const mostRoomBytes = 64 * 1024 * 1024;

/** The room that the windows of a process share. */
export interface WindowRoom {
  /** Bytes that they keep together. */
  bytes: number;
}

/** A piece of the stream of a run. All its viewers are sent the same bytes. */
export interface Piece {
  readonly bytes: Uint8Array;
  /** Place of each frame, and the length of `bytes` up to its end. Empty for a comment and for the end of the run. */
  readonly places: readonly Place[];
  readonly ends: readonly number[];
  /** The end of the run, which is the last piece. */
  readonly endOf?: number;
  /** Place of the last frame of the piece or before it. */
  readonly upTo: Place;
}

/**
 * The latest part of the stream of a run, printed once for all its viewers. Pieces are numbered from 0. When the room is full, a window keeps nothing
 * that has been sent to those who were ready: others read it again.
 */
export class RunWindow {
  /** The pieces that are kept begin behind this place. */
  #from: Place;
  #upTo: Place;
  #pieces: Piece[] = [];
  #first = 0;
  #bytes = 0;
  #isClosed = false;
  readonly #room: WindowRoom;

  /** The stream begins behind `from`. */
  constructor(from: Place, room: WindowRoom) {
    this.#from = { seq: from.seq, partial: from.partial };
    this.#upTo = this.#from;
    this.#room = room;
  }

  /** Place of the newest frame. */
  get upTo(): Place {
    return this.#upTo;
  }

  /** Number of the first piece for a viewer at this place. Undefined where frames behind the place are not kept. */
  numberAfter(place: Place): number | undefined {
    if (isBehind(this.#from, place)) return undefined;
    const index = this.#pieces.findIndex(({ upTo, endOf }) => endOf !== undefined || isBehind(upTo, place));
    return this.#first + (index === -1 ? this.#pieces.length : index);
  }

  /** The piece with this number: `missed` when it is not kept any more, undefined when it is not there yet. */
  piece(number: number): Piece | 'missed' | undefined {
    return number < this.#first ? 'missed' : this.#pieces[number - this.#first];
  }

  addFrames(frames: readonly RunFrame[]): void {
    const last = frames.at(-1);
    if (last === undefined) return;
    this.#upTo = { seq: last.seq, partial: last.partial };
    const places = frames.map(({ seq, partial }) => ({ seq, partial }));
    this.#add({ ...printFrames(frames), places, upTo: this.#upTo });
  }

  addComment(bytes: Uint8Array): void {
    this.#add({ bytes, places: [], ends: [], upTo: this.#upTo });
  }

  /** Adds the end of the run: the number of the attempt that has ended. */
  addEnd(bytes: Uint8Array, endOf: number): void {
    this.#add({ bytes, places: [], ends: [], upTo: this.#upTo, endOf });
  }

  /** To be called when the viewers were told of the newest pieces. */
  trim(): void {
    while (this.#room.bytes > mostRoomBytes && this.#pieces.length > 0) this.#drop();
  }

  /** To be called when nobody uses the window any more. Nothing can be added then. */
  close(): void {
    this.#isClosed = true;
    while (this.#pieces.length > 0) this.#drop();
  }

  #add(piece: Piece): void {
    if (this.#isClosed) return;
    this.#pieces.push(piece);
    this.#resize(piece.bytes.length);
    while (this.#bytes > mostBytes && this.#pieces.length > 1) this.#drop();
  }

  #drop(): void {
    const dropped = this.#pieces.shift();
    if (dropped === undefined) return;
    this.#first += 1;
    this.#resize(-dropped.bytes.length);
    this.#from = dropped.upTo;
  }

  #resize(bytes: number): void {
    this.#bytes += bytes;
    this.#room.bytes += bytes;
  }
}

/** The frames of a piece that are behind a place. */
export function bytesBehind({ bytes, places, ends, upTo }: Piece, place: Place): Uint8Array | undefined {
  if (places.length === 0) return bytes;
  if (!isBehind(upTo, place)) return undefined;
  const first = places.findIndex((one) => isBehind(one, place));
  return first === 0 ? bytes : bytes.subarray(ends[first - 1]);
}
