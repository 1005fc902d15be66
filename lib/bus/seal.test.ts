import { generateKeyPairSync } from 'node:crypto';
import { RunProgressedSchema } from '@agentmesh/proto/runs/v1/live';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createBus } from './create-bus.ts';
import { createSeal } from './seal.ts';
import { createLocalBus } from './testing/index.ts';

const sealOf = () => createSeal(generateKeyPairSync('ed25519').privateKey);
const own = sealOf();
const subject = 'agentmesh.runs.v1.run_progressed';
const secret = new TextEncoder().encode('what a model says');

describe('a seal', () => {
  test('opens what it has closed, each time in another form', () => {
    const [one, two] = [own.close(subject, secret), own.close(subject, secret)];
    expect([own.open(subject, one), own.open(subject, two)]).toEqual([Buffer.from(secret), Buffer.from(secret)]);
    expect(Buffer.from(one).equals(two)).toBe(false);
    expect(Buffer.from(one).includes('model')).toBe(false);
  });

  test('opens nothing of another key or another subject, and nothing that was changed, cut or never closed', () => {
    const sealed = own.close(subject, secret);
    expect(own.open('agentmesh.runs.v1.span_ended', sealed)).toBeUndefined();
    expect(sealOf().open(subject, sealed)).toBeUndefined();
    for (let place = 0; place < sealed.length; place += 1) {
      const changed = Uint8Array.from(sealed, (byte, index) => (index === place ? byte ^ 1 : byte));
      expect(own.open(subject, changed)).toBeUndefined();
      expect(own.open(subject, sealed.subarray(0, place))).toBeUndefined();
    }
    expect(own.open(subject, secret)).toBeUndefined();
  });
});

test('a confidential message is read and believed by replicas of its service only', async () => {
  const { driver } = createLocalBus();
  const log = pino({ level: 'silent' });
  const replica = () => createBus({ driver, service: 'runs', log, seal: own });
  const [first, second, stranger] = [replica(), replica(), createBus({ driver, service: 'memory', log })];
  const heard: unknown[] = [];
  const overheard: Buffer[] = [];
  await second.subscribe(RunProgressedSchema, ({ owner }) => void heard.push(owner));
  await driver.subscribe(subject, async (payload) => void overheard.push(Buffer.from(payload)));
  await stranger.publish(RunProgressedSchema, { owner: 'forged' });
  await first.publish(RunProgressedSchema, { owner: 'a secret owner' });
  expect(heard).toEqual(['a secret owner']);
  expect(overheard.map((payload) => payload.includes('secret'))).toEqual([false, false]);
});
