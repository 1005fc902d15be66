import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** The part of the machine's processors, from 0 to 1, that programs use in the next seconds. To be called while this test does nothing. */
export async function measureForeignLoad(): Promise<number> {
  const before = sumOf();
  await sleep(3_000);
  const after = sumOf();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function sumOf(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((one) => Object.values(one))) };
}
