import { Metadata } from '@grpc/grpc-js';
import { unlessAborted } from '../../wait/index.ts';
import { abortFailure, draining, toMeshError } from '../call/index.ts';
import { type ExchangeCall, ExchangeClient, type OutgoingCall } from '../exchange/index.ts';
import type { Proof } from '../identity/index.ts';
import { openAnswered } from './open-answered.ts';
import type { RenewedConnection } from './renewed-connection.ts';
import { withoutStack } from './without-stack.ts';

/** Longest pause in milliseconds between two new streams. Each leads to the next replica, so it finds new ones and those that are back. */
const exploreMs = 2_000;
/** Time in milliseconds for a replica to answer a new stream. */
const joinMs = 2_000;
/** Age in milliseconds at which a stream takes no more calls: the credential that it was opened with expires. */
const maxAgeMs = 30_000;
/** A replica gets so many new streams in the time in which the former one gets too old. */
const streamsOfAge = 2;
/** Pause in milliseconds between looks for another replica when the only one leaves. */
const seekMs = 100;
/** Pause in milliseconds between looks for servers that are silent. One is noticed after one to two of them. */
const lookMs = 250;
/** Looks at which a server has been silent until streams from it fail. */
const mostSilences = 20;
/** A larger request would hold up the other calls of the stream, so it gets a stream of its own. */
const largestShared = 64 * 1024;

/**
 * The streams that carry calls with one request: a shared one for each replica, and one for each large request. A call goes to the less
 * busy of two shared streams chosen at random. A stream is shared when its replica has answered, and no more when a deadline passed without a word from it. While a
 * replica is silent although it was asked, calls go to others, and so do those under way that may be repeated: a frozen replica gets none after half a second.
 * The same happens to these when a connection breaks.
 */
export class Exchanges {
  readonly #connection: RenewedConnection;
  readonly #proof: Proof;
  /** One for each replica that has answered. */
  #shared: readonly ExchangeClient[] = [];
  /** Those whose replica is not silent. */
  #answering: readonly ExchangeClient[] = [];
  /** To a replica that leaves. It carries calls while there is no other. */
  #leaving: ExchangeClient | undefined;
  /** The newest stream. It carries calls only while no replica has answered. */
  #newest: ExchangeClient | undefined;
  /** All that are open. */
  readonly #streams = new Set<ExchangeClient>();
  readonly #looking = setInterval(() => this.#look(), lookMs).unref();
  #exploreAt = 0;
  #isClosed = false;

  constructor(connection: RenewedConnection, proof: Proof) {
    this.#connection = connection;
    this.#proof = proof;
  }

  /** Rejects with MeshError where the call is over before a stream of its own is open. */
  call(call: OutgoingCall): ExchangeCall | Promise<ExchangeCall> {
    return call.request.length <= largestShared ? this.#pick().call(call, this.#elsewhere) : this.#callAlone(call);
  }

  /** Called by timers and streams, which handle no failure: the call tells it. */
  readonly #elsewhere = (call: ExchangeCall): void => {
    if (this.#isClosed) return call.end(draining());
    try {
      this.#pick().carry(call);
    } catch (error) {
      call.end(toMeshError(error));
    }
  };

  /** Takes no more calls on the shared streams. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#looking);
    for (const shared of this.#shared) shared.retire();
    this.#leaving?.retire();
    this.#newest?.retire();
  }

  async #callAlone(call: OutgoingCall): Promise<ExchangeCall> {
    const { timeoutMs, left: work } = call;
    const signal = work?.signal ?? call.signal;
    const endsAt = performance.now() + (timeoutMs ?? Infinity);
    const ends = [signal ?? [], timeoutMs === undefined ? [] : AbortSignal.timeout(timeoutMs)].flat();
    const opening = openAnswered(() => this.#open());
    const own = await unlessAborted(opening, AbortSignal.any(ends)).catch((reason: unknown) => {
      // It may be over because no stream can be opened.
      void opening.then(
        (unused) => unused.abandon(),
        () => undefined,
      );
      throw abortFailure(reason);
    });
    const left = timeoutMs === undefined ? undefined : Math.max(1, Math.ceil(endsAt - performance.now()));
    const running = own.call({ ...call, timeoutMs: left }, this.#elsewhere);
    own.retire();
    return running;
  }

  #pick(): ExchangeClient {
    this.#explore();
    if (!this.#shared.every(isUsable)) this.#leaveUnusable();
    const one = this.#anyAnswering();
    const other = this.#anyAnswering();
    if (one === undefined || other === undefined) return this.#lastResort();
    return other.outstanding < one.outstanding ? other : one;
  }

  #anyAnswering(): ExchangeClient | undefined {
    return this.#answering[Math.floor(Math.random() * this.#answering.length)];
  }

  /** A replica that is silent may only be busy. */
  #lastResort(): ExchangeClient {
    const left = [this.#leaving, ...this.#shared, this.#newest];
    return left.find((stream) => stream !== undefined && isUsable(stream)) ?? this.#try();
  }

  #look(): void {
    for (const stream of this.#streams) {
      const silences = stream.look();
      if (silences > 0) this.#leaveSilent(stream, silences);
    }
    this.#share(this.#shared);
  }

  #leaveSilent(silent: ExchangeClient, silences: number): void {
    for (const shared of this.#shared) if (shared.peer === silent.peer) shared.suspect();
    this.#share(this.#shared);
    if (this.#answering.length === 0) return;
    silent.moveCalls();
    if (silences >= mostSilences) silent.failStreams();
  }

  #share(shared: readonly ExchangeClient[]): void {
    this.#shared = shared;
    this.#answering = shared.filter(({ isSilent }) => !isSilent);
  }

  #leaveUnusable(): void {
    for (const shared of this.#shared) if (!isUsable(shared)) shared.retire();
    this.#share(this.#shared.filter(isUsable));
  }

  /** Opens a stream to the next replica from time to time, and on a new connection. */
  #explore(): void {
    const { client } = this.#connection;
    if (this.#newest?.client !== client || performance.now() >= this.#exploreAt) this.#try();
  }

  #try(): ExchangeClient {
    this.#exploreAt = performance.now() + explorePause(this.#shared.length);
    const tried = this.#open();
    tried.onJoined = () => this.#join(tried);
    tried.onFarewell = () => this.#leave(tried);
    setTimeout(() => tried.retireUnlessJoined(), joinMs).unref();
    this.#newest = tried;
    return tried;
  }

  /** Takes the place of the former stream to the same replica. */
  #join(joined: ExchangeClient): void {
    if (this.#isClosed) return joined.retire();
    const { peer } = joined;
    const others = this.#shared.filter((one) => one.peer !== peer);
    for (const former of this.#shared) if (!others.includes(former)) former.retire();
    this.#share(joined.retired ? others : [...others, joined]);
    this.#leaving?.retire();
    this.#leaving = undefined;
  }

  /** The replica serves for as long as its callers have no other, at most two seconds. */
  #leave(leaving: ExchangeClient): void {
    this.#share(this.#shared.filter((one) => one !== leaving));
    if (this.#isClosed || this.#answering.length > 0) return leaving.retire();
    this.#leaving?.retire();
    this.#leaving = leaving;
    setTimeout(() => this.#seekOther(leaving), seekMs).unref();
  }

  #seekOther(leaving: ExchangeClient): void {
    if (this.#isClosed || this.#leaving !== leaving || leaving.retired) return;
    this.#try();
    setTimeout(() => this.#seekOther(leaving), seekMs).unref();
  }

  #open(): ExchangeClient {
    const metadata = new Metadata();
    this.#proof.present(metadata);
    const opened = withoutStack(() => new ExchangeClient(this.#connection.client, metadata));
    this.#streams.add(opened);
    opened.onClosed = () => this.#streams.delete(opened);
    opened.hasOther = () => this.#answering.some((one) => one !== opened && isUsable(one));
    return opened;
  }
}

/** Pause in milliseconds until the next replica is visited, so that each of `replicas` is visited while its stream can be used. */
export function explorePause(replicas: number): number {
  return Math.min(exploreMs, maxAgeMs / (streamsOfAge * Math.max(1, replicas)));
}

function isUsable({ retired, openedAt }: ExchangeClient): boolean {
  return !retired && performance.now() - openedAt < maxAgeMs;
}
