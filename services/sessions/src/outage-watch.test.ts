import { expect, onTestFinished, test, vi } from 'vitest';
import { OutageWatch } from './outage-watch.ts';

const answers = () => Promise.resolve();
const isDown = () => Promise.reject(new Error('down'));

function watchAt() {
  const clock = { ms: 0 };
  return { clock, watch: new OutageWatch({ leaseSeconds: 10 }, () => clock.ms) };
}

test('while the database answers, an expired lease means that its owner is gone', async () => {
  const { clock, watch } = watchAt();
  for (; clock.ms < 30_000; clock.ms += 1_200) {
    await watch.look(answers);
    expect(watch.isCalm).toBe(true);
  }
});

test('during an outage and for one lease after it, it does not', async () => {
  const { clock, watch } = watchAt();
  await watch.look(answers);
  clock.ms = 5_000;
  await expect(watch.look(isDown)).rejects.toThrow('down');
  expect(watch.isCalm).toBe(false);
  for (clock.ms = 60_000; clock.ms < 70_000; clock.ms += 1_000) {
    await watch.look(answers);
    expect(watch.isCalm).toBe(false);
  }
  expect(watch.isCalm).toBe(true);
});

test('an answer that is too late for renewals ends an outage, one that is a little late does not', async () => {
  const { clock, watch } = watchAt();
  await watch.look(answers);
  clock.ms = 3_000;
  await watch.look(answers);
  expect(watch.isCalm).toBe(true);
  clock.ms = 9_000;
  await watch.look(answers);
  expect(watch.isCalm).toBe(false);
});

test('a slow start is no outage, a first answer that is late ends one', async () => {
  const { clock, watch } = watchAt();
  clock.ms = 8_000;
  expect(watch.isCalm).toBe(true);
  await watch.look(answers);
  expect(watch.isCalm).toBe(true);
  const late = watchAt();
  await late.watch.look(async () => void (late.clock.ms = 8_000));
  expect(late.watch.isCalm).toBe(false);
});

test('when no process was there for long, nobody is called dead before the first look and for four seconds after it', async () => {
  const clock = { ms: 0 };
  const startAfter = (awaySeconds: number | undefined) =>
    new OutageWatch({ leaseSeconds: 10, awaySeconds }, () => clock.ms);
  for (const awaySeconds of [undefined, 2]) expect(startAfter(awaySeconds).isCalm).toBe(true);
  const watch = startAfter(12);
  for (const ms of [0, 1_200, 2_400, 3_600, 4_800]) {
    clock.ms = ms;
    expect(watch.isCalm).toBe(false);
    if (ms > 0) await watch.look(answers);
  }
  clock.ms = 5_200;
  expect(watch.isCalm).toBe(true);
});

test('a step of the wall clock, there and back, is no outage', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const watch = new OutageWatch({ leaseSeconds: 10 });
  for (const stepMs of [600_000, -600_000]) {
    vi.setSystemTime(Date.now() + stepMs);
    await watch.look(answers);
    expect(watch.isCalm).toBe(true);
  }
});
