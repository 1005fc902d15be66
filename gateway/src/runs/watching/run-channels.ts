import { setTimeout as sleep } from 'node:timers/promises';
import { MeshError } from '@agentmesh/lib/rpc';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { WatchRunRequest } from '@agentmesh/proto/runs/v1';
import type { Context } from '../../context.ts';
import { problemOf } from '../../edge/errors/problem.ts';
import { isBehind, type Place } from './place-id.ts';
import { RunChannel } from './run-channel.ts';
import type { WindowRoom } from './run-window.ts';

/** Most streams of runs of one account in one process. */
const mostViewers = 1_000;

/** How often, and how long after each other, a viewer whose call has failed tries again. */
const [mostTries, pauseMs] = [20, 500];

export interface RunChannelsOptions {
  readonly runs: Pick<Context['runs'], 'watchRun'>;
  readonly log: Logger;
  /** Aborts when this process starts to drain: its viewers then go to another one. */
  readonly draining: AbortSignal;
}

/** A run, for those who may see it: all runs of an account, or only those of one user. */
export type WatchedRun = Pick<WatchRunRequest, 'accountId' | 'invocationId' | 'userId'> &
  Partial<Pick<WatchRunRequest, 'appName' | 'sessionId'>>;

/** The runs that this process shows to clients. Clients of one run share a call as soon as they have reached the same place. */
export class RunChannels {
  /** The room of all windows of this process. */
  readonly room: WindowRoom = { bytes: 0 };
  readonly #options: RunChannelsOptions;
  /** The channels of each run that can be joined, oldest first. */
  readonly #channels = new Map<string, Set<RunChannel>>();
  readonly #viewers = new Map<string, number>();

  constructor(options: RunChannelsOptions) {
    this.#options = options;
  }

  /**
   * Counts a stream of the account. Returns what takes it away, to be called once.
   *
   * @throws MeshError resource_exhausted `run_watchers_too_many`
   */
  enter(accountId: string): () => void {
    const before = this.#viewers.get(accountId) ?? 0;
    if (before >= mostViewers) {
      const text = `At most ${mostViewers} streams of runs are open at a time.`;
      throw new MeshError('resource_exhausted', 'run_watchers_too_many', text);
    }
    this.#viewers.set(accountId, before + 1);
    return () => {
      const left = (this.#viewers.get(accountId) ?? 1) - 1;
      if (left === 0) this.#viewers.delete(accountId);
      else this.#viewers.set(accountId, left);
    };
  }

  /** Finds the channel that goes on at this place, else opens one. The caller releases it. */
  async join(run: WatchedRun, place: Place): Promise<RunChannel> {
    const found = [...(this.#channels.get(nameOf(run)) ?? [])].find((channel) => goesOnAt(channel, place));
    if (found === undefined) return this.open(run, place);
    return openOf(found);
  }

  /** Like `join`, for a stream that is open: tries for some seconds while the service is away. */
  async rejoin(run: WatchedRun, place: Place): Promise<RunChannel> {
    const { draining } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.join(run, place);
      } catch (error) {
        const isAway = error instanceof MeshError && error.code === 'unavailable';
        if (!isAway || tries === mostTries || draining.aborted) throw error;
      }
      await sleep(pauseMs, undefined, { signal: draining });
    }
  }

  /** Opens a channel of its own, which others may join. The caller releases it. */
  async open(run: WatchedRun, from: Place): Promise<RunChannel> {
    const name = nameOf(run);
    const own = this.#channels.get(name) ?? new Set();
    this.#channels.set(name, own);
    const channel: RunChannel = new RunChannel({
      from,
      room: this.room,
      watch: ({ seq, partial }, signal) =>
        this.#options.runs.watchRun({ ...run, afterSeq: seq, afterPartial: partial }, { signal }),
      onTold: () => own.size > 1 && merge(channel, own),
      onClosed: () => {
        own.delete(channel);
        if (own.size === 0 && this.#channels.get(name) === own) this.#channels.delete(name);
      },
      onError: (error) => {
        const { invocationId } = run;
        if (problemOf(error) === undefined)
          this.#options.log.error({ err: error, invocationId }, 'the stream of a run broke');
      },
    });
    own.add(channel);
    return openOf(channel);
  }
}

async function openOf(channel: RunChannel): Promise<RunChannel> {
  channel.hold();
  try {
    await channel.first;
    return channel;
  } catch (error) {
    channel.release();
    throw error;
  }
}

function nameOf({ accountId, invocationId, appName, userId, sessionId }: WatchedRun): string {
  return JSON.stringify([accountId, invocationId, appName, userId, sessionId]);
}

function goesOnAt({ window }: RunChannel, place: Place): boolean {
  return window.numberAfter(place) !== undefined && !isBehind(place, window.upTo);
}

/** Lets the viewers of a channel go on in one that is ahead, or as far and older. The channel closes when none is left. */
function merge(channel: RunChannel, all: ReadonlySet<RunChannel>): void {
  const channels = [...all];
  const own = channels.indexOf(channel);
  const target = channels.find((other, index) => {
    if (other === channel || !other.isOpen || isBehind(channel.window.upTo, other.window.upTo)) return false;
    return index < own || isBehind(other.window.upTo, channel.window.upTo);
  });
  if (target === undefined) return;
  for (const viewer of channel.viewers) {
    target.hold();
    if (!viewer.attach(target)) target.release();
    else viewer.onNews();
  }
}
