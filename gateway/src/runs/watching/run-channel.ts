import { MeshError } from '@agentmesh/lib/rpc';
import { Wake } from '@agentmesh/lib/wait';
import type { RunFrame, WatchRunResponse } from '@agentmesh/proto/runs/v1';
import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import { clientLeft } from '../../edge/streams/client-left.ts';
import { firstAnswer } from '../../edge/streams/first-answer.ts';
import type { Place } from './place-id.ts';
import { RunWindow, type WindowRoom } from './run-window.ts';
import { endFrame, waitComment } from './watch-frames.ts';

/** A viewer as its channel sees it. */
export interface ChannelViewer {
  /** Whether it takes what comes next at once. */
  readonly isReady: boolean;
  /** Makes it go on in a channel that is held for it. False, and nothing happens, where frames behind its place are missing. */
  attach(channel: RunChannel): boolean;
  /** Tells it that there are new pieces. */
  onNews(): void;
  /** Tells it that no more pieces come here: the service is stopping, or the call has failed. */
  onBroken(): void;
}

export interface RunChannelOptions {
  /** The place behind which the channel begins. */
  readonly from: Place;
  readonly room: WindowRoom;
  readonly watch: (from: Place, signal: AbortSignal) => AsyncIterable<WatchRunResponse>;
  /** Called after the viewers were told of new pieces. */
  readonly onTold: () => void;
  /** Called when nobody may join any more: it has ended or failed, or nobody uses it. */
  readonly onClosed: () => void;
  /** Called when the call fails after its first answer. */
  readonly onError: (error: unknown) => void;
}

/** Bytes of frames that are read ahead of the viewers. */
const mostAheadBytes = 256 * 1024;

/**
 * One call that reads a run, for any number of viewers. The fastest viewer sets the pace: while all wait for their clients, nothing more is read. New
 * frames are printed once and sent to all viewers. Then follows a pause as long as the sending took, so that many viewers get fewer and larger pieces.
 */
export class RunChannel {
  /** The first answer, which can be empty. Rejects when the run cannot be read. */
  readonly first: Promise<WatchRunResponse>;
  readonly window: RunWindow;
  readonly #options: RunChannelOptions;
  readonly #viewers = new Set<ChannelViewer>();
  readonly #leaving = new AbortController();
  readonly #wanted = new Wake();
  #users = 0;
  /** Frames that were read and are not in the window yet. */
  #ahead: RunFrame[] = [];
  #aheadBytes = 0;
  #comment: Uint8Array | undefined;
  #isOpen = false;
  #isBroken = false;
  #isTelling = false;
  #nextTellMs = 0;

  constructor(options: RunChannelOptions) {
    this.#options = options;
    this.window = new RunWindow(options.from, options.room);
    const answers = options.watch(options.from, this.#leaving.signal)[Symbol.asyncIterator]();
    this.first = this.#open(answers);
    this.first.catch(() => undefined);
  }

  /** The comment that a new viewer gets; undefined unless the run waits. */
  get comment(): Uint8Array | undefined {
    return this.#comment;
  }

  /** Whether its first answer has come. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  get viewers(): readonly ChannelViewer[] {
    return [...this.#viewers];
  }

  /** Keeps the channel open until `release` has been called as often. */
  hold(): void {
    this.#users += 1;
  }

  release(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#leave();
    this.window.close();
  }

  add(viewer: ChannelViewer): void {
    this.#viewers.add(viewer);
    this.#wanted.wake();
    if (this.#isBroken) setImmediate(() => viewer.onBroken());
  }

  remove(viewer: ChannelViewer): void {
    this.#viewers.delete(viewer);
  }

  /** To be called when a viewer has become ready. */
  want(): void {
    this.#wanted.wake();
  }

  async #open(answers: AsyncIterator<WatchRunResponse>): Promise<WatchRunResponse> {
    try {
      const first = await firstAnswer(answers, this.#leaving);
      if (first.done === true) throw new MeshError('unavailable', 'runs_draining', 'The service is stopping.');
      this.#isOpen = true;
      void this.#read(first, answers);
      return first.value;
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  async #read(first: IteratorResult<WatchRunResponse>, answers: AsyncIterator<WatchRunResponse>): Promise<void> {
    const { signal } = this.#leaving;
    let isOver = false;
    try {
      for (let next = first; next.done !== true; next = await answers.next()) {
        this.#take(next.value);
        isOver = next.value.isOver;
        while (!isOver && !signal.aborted && !this.#isWanted()) await this.#wanted.wait({ signal });
      }
    } catch (error) {
      if (!signal.aborted) this.#options.onError(error);
    }
    this.#leave();
    if (isOver) return;
    this.#isBroken = true;
    this.#tell();
    for (const viewer of this.viewers) viewer.onBroken();
  }

  #isWanted(): boolean {
    if (this.#aheadBytes >= mostAheadBytes) return false;
    return this.#isTelling || this.viewers.some(({ isReady }) => isReady);
  }

  #take({ frames, run, isOver }: WatchRunResponse): void {
    this.#ahead.push(...frames);
    for (const { json } of frames) this.#aheadBytes += json.length;
    if (run !== undefined) this.#addStatus(run, isOver);
    if (isOver) this.#tell();
    else this.#tellSoon();
  }

  #addStatus(run: LedgerRun, isOver: boolean): void {
    this.#print();
    this.#comment = isOver ? undefined : waitComment(run);
    if (this.#comment !== undefined) this.window.addComment(this.#comment);
    if (!isOver) return;
    this.window.addEnd(endFrame(run, this.window.upTo.seq), run.attempt);
    this.#options.onClosed();
  }

  #print(): void {
    this.window.addFrames(this.#ahead);
    this.#ahead = [];
    this.#aheadBytes = 0;
  }

  /** Soon, so that frames which arrive together are sent together. */
  #tellSoon(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    const pauseMs = this.#nextTellMs - performance.now();
    if (pauseMs > 0) setTimeout(() => this.#tell(), pauseMs);
    else setImmediate(() => this.#tell());
  }

  #tell(): void {
    const startedMs = performance.now();
    this.#isTelling = false;
    this.#print();
    for (const viewer of this.viewers) viewer.onNews();
    // The first viewer of a run that is over comes after its only piece.
    if (this.#viewers.size > 0) this.window.trim();
    this.#options.onTold();
    const now = performance.now();
    this.#nextTellMs = 2 * now - startedMs;
    this.#wanted.wake();
  }

  #leave(): void {
    this.#leaving.abort(clientLeft);
    this.#options.onClosed();
  }
}
