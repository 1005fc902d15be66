import type { JsonObject } from '@agentmesh/proto/event';
import { describe, expect, test } from 'vitest';
import { appendTo, completed, driveTurns } from './drive-turns.ts';
import { agentEvent, beginWith, json, readSession, startSessionsForFile } from '../sessions.ts';

const service = startSessionsForFile();

const { newSession, begin } = driveTurns(service);
const forbidden = { code: 'permission_denied', reason: 'app_state_forbidden' };
const setting = (delta: JsonObject) => [agentEvent('e', 'set', delta)];

describe('a run of a caller who may act for one end user only', () => {
  test('cannot change app state by its request, and other state is as free as ever', async () => {
    const session = await newSession();
    const request = beginWith(session, 'hi', { isBound: true, stateDeltaJson: json({ 'app:x': 1, y: 2 }) });
    await expect(service.client.beginTurn(request)).rejects.toMatchObject(forbidden);
    const turn = await begin(session, 'hi', { isBound: true, stateDeltaJson: json({ 'user:x': 1, y: 2 }) });
    expect(turn.isBound).toBe(true);
    expect((await readSession(service.client, session)).state).toEqual({ 'user:x': 1, y: 2 });
  });

  test('cannot change app state by an event, also when its end is stored with it', async () => {
    const session = await newSession();
    const turn = await begin(session, 'hi', { isBound: true });
    for (const end of [undefined, completed]) {
      const append = service.client.appendEvents(appendTo(turn, setting({ 'app:x': 1 }), end));
      await expect(append).rejects.toMatchObject(forbidden);
    }
    await service.client.appendEvents(appendTo(turn, setting({ x: 1 }), completed));
    expect((await readSession(service.client, session)).state).toEqual({ x: 1 });
  });

  test('is still bound when it had to wait for its turn', async () => {
    const session = await newSession();
    const first = await begin(session, 'one');
    const { invocationId, turn } = await service.client.beginTurn(beginWith(session, 'two', { isBound: true }));
    expect(turn).toBeUndefined();
    await service.client.appendEvents(appendTo(first, setting({ 'app:free': 1 }), completed));
    const claim = { owner: 'another', window: 10, limit: 1, session, invocationId };
    const [claimed] = (await service.client.claimRuns(claim)).turns;
    expect(claimed?.isBound).toBe(true);
    if (claimed === undefined) throw new Error('not claimed');
    const append = service.client.appendEvents(appendTo(claimed, setting({ 'app:x': 1 }), completed));
    await expect(append).rejects.toMatchObject(forbidden);
    expect((await readSession(service.client, session)).state).toEqual({ 'app:free': 1 });
  });
});
