import type { EventStream } from '../../edge/streams/event-stream.ts';
import { isBehind, type Place } from './place-id.ts';
import type { ChannelViewer, RunChannel } from './run-channel.ts';
import { bytesBehind, type Piece } from './run-window.ts';

/** A client that takes nothing for this long leaves its channel, so that nothing is read for it. It comes back when it reads on. */
const patienceMs = 250;
/** How often in a row a viewer goes on in another channel without being sent a frame. Then its stream ends, and the client connects again. */
const mostVain = 20;

type Events = Pick<EventStream, 'push' | 'end'>;

export interface RunViewerOptions {
  /** The place that the client has named. */
  readonly from: Place;
  /** Finds or opens a channel that goes on behind this place, and holds it. Rejects when the run cannot be read. */
  readonly join: (place: Place) => Promise<RunChannel>;
  /** Called once, when nothing more is sent. */
  readonly onClosed: () => void;
}

/** A client that watches a run. Only bytes that its socket has taken wait for it: the rest is in the window of its channel, or is read again. */
export class RunViewer implements ChannelViewer {
  readonly #options: RunViewerOptions;
  #events: Events | undefined;
  #place: Place;
  #channel: RunChannel | undefined;
  /** Number of the next piece of the channel. */
  #next = 0;
  #isFull = false;
  #isClosed = false;
  #patience: NodeJS.Timeout | undefined;
  /** The end that the client has seen, until it has come again: the number of the attempt. */
  #seenEnd: number | undefined;
  #vain = 0;

  constructor(options: RunViewerOptions) {
    this.#options = options;
    this.#place = options.from;
    this.#seenEnd = options.from.endOf;
  }

  get isReady(): boolean {
    return !this.#isFull;
  }

  attach(channel: RunChannel): boolean {
    const next = channel.window.numberAfter(this.#place);
    if (next === undefined || this.#isClosed) return false;
    this.#detach();
    [this.#channel, this.#next] = [channel, next];
    channel.add(this);
    return true;
  }

  /** Sends the client what it has not got yet, from a channel that is held for it. */
  begin(events: Events, channel: RunChannel): void {
    this.#events = events;
    this.#goOn(channel);
  }

  onNews(): void {
    while (!this.#isFull && this.#channel !== undefined) {
      const piece = this.#channel.window.piece(this.#next);
      if (piece === undefined) return;
      if (piece === 'missed') return this.#rejoin();
      this.#next += 1;
      this.#send(piece);
    }
  }

  onBroken(): void {
    this.#rejoin();
  }

  /** To be called when the client has taken what was sent. */
  onDrain(): void {
    if (!this.#isFull || this.#isClosed) return;
    clearTimeout(this.#patience);
    this.#isFull = false;
    if (this.#channel === undefined) return this.#rejoin();
    this.#channel.want();
    this.onNews();
  }

  /** To be called when the client has left. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#patience);
    this.#detach();
    this.#options.onClosed();
  }

  /** Ends the stream of the client. */
  leave(): void {
    this.#events?.end();
    this.close();
  }

  #send(piece: Piece): void {
    if (piece.endOf !== undefined) return this.#end(piece);
    const bytes = bytesBehind(piece, this.#place);
    if (bytes === undefined) return;
    if (isBehind(piece.upTo, this.#place)) this.#place = piece.upTo;
    this.#vain = 0;
    this.#push(bytes);
  }

  /**
   * An end that came before what the client has seen is old: the run has gone on. So may be the end that the client names as seen, but when it comes a
   * second time, the run is over: it can change without another attempt, as when it waited and was cancelled, and a client can name an end that it has not seen.
   */
  #end({ bytes, upTo, endOf }: Piece): void {
    if (this.#place.seq > upTo.seq) return this.#rejoin();
    if (endOf === this.#seenEnd) {
      this.#seenEnd = undefined;
      return this.#rejoin();
    }
    this.#events?.push(bytes);
    this.leave();
  }

  #push(bytes: Uint8Array): void {
    if (this.#events?.push(bytes) !== false) return;
    this.#isFull = true;
    // A client that has gone on in another channel can be full already.
    clearTimeout(this.#patience);
    this.#patience = setTimeout(() => this.#detach(), patienceMs);
  }

  #detach(): void {
    const channel = this.#channel;
    this.#channel = undefined;
    channel?.remove(this);
    channel?.release();
  }

  #rejoin(): void {
    this.#detach();
    this.#vain += 1;
    if (this.#vain > mostVain) return this.leave();
    this.#options.join(this.#place).then(
      (channel) => this.#goOn(channel),
      () => this.leave(),
    );
  }

  #goOn(channel: RunChannel): void {
    if (this.attach(channel)) {
      if (channel.comment !== undefined) this.#push(channel.comment);
      return this.onNews();
    }
    channel.release();
    if (!this.#isClosed) this.#rejoin();
  }
}
