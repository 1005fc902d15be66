import { InvalidArgumentError } from 'commander';

/** Reads a whole number from `least` on. `advice` says where to find one. */
export function wholeNumber(least: number, advice = ''): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`It is a whole number, ${least} or more. ${advice}`.trimEnd());
  };
}

/** Reads an amount of dollars. */
export function dollars(text: string): number {
  const amount = text.trim() === '' ? Number.NaN : Number(text);
  if (amount >= 0 && amount < Infinity) return amount;
  throw new InvalidArgumentError('It is an amount of dollars, such as 0.25.');
}

/** Reads a day. */
export function day(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text;
  throw new InvalidArgumentError('It is a day, such as 2026-01-31.');
}

const knownGroups = ['day', 'model', 'agent', 'user', 'key', 'run'];

/** Reads groups of usage, with commas between. */
export function groups(text: string): string {
  if (text.split(',').every((it) => knownGroups.includes(it))) return text;
  throw new InvalidArgumentError(`It is one of ${knownGroups.join(', ')}, or several with commas between.`);
}
