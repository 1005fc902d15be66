import { setTimeout as sleep } from 'node:timers/promises';
import type { TestNats } from './start-nats.ts';

/** Disturbs a NATS server once. Resolves with the kind of the disturbance, when the server goes on. */
export type Disturb = () => Promise<string>;

/** Milliseconds of short outages. */
const SHORT = { least: 100, most: 800 };
/** Clients give a server up that has not answered for four seconds. */
const LONG = { least: 3_500, most: 6_500 };

/**
 * Returns a function that kills, restarts, wipes or freezes the server, in an order and for times that the seed says. In each round of twelve calls every
 * kind has come; one outage of a round is long.
 */
export function createDisturbances(nats: TestNats, seed: number): Disturb {
  const random = createRandom(seed);
  const between = ({ least, most }: typeof SHORT): number => least + random() * (most - least);
  const restart = async (between: () => Promise<unknown>): Promise<void> => {
    await nats.kill();
    await between();
    await nats.start();
  };
  const freeze = async (ms: number): Promise<void> => {
    nats.freeze();
    await sleep(ms);
  };
  const kinds: Readonly<Record<string, () => Promise<void>>> = {
    killed: () => restart(() => sleep(between(SHORT))),
    restarted: () => restart(async () => undefined),
    wiped: () => restart(() => nats.wipe()),
    frozen: async () => {
      await freeze(between(SHORT));
      nats.thaw();
    },
    'frozen and killed': async () => {
      await freeze(between(SHORT));
      await restart(async () => undefined);
    },
    'frozen and wiped': async () => {
      await freeze(between(SHORT));
      await restart(() => nats.wipe());
    },
  };
  const long = async (): Promise<void> => {
    await freeze(between(LONG));
    nats.thaw();
  };
  let round: [string, () => Promise<void>][] = [];
  return async () => {
    if (round.length === 0)
      round = [...Object.entries(kinds), ...Object.entries(kinds).slice(0, 5), ['frozen for long', long]];
    const [[kind, disturb] = ['', long]] = round.splice(Math.floor(random() * round.length), 1);
    await disturb();
    return kind;
  };
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
