/** Source of the time. Every time in the database of this service comes from it, so that a simulation can drive months in seconds. */
export interface Clock {
  now(): Date;
}

/** The time of this machine. */
export const systemClock: Clock = { now: () => new Date() };
