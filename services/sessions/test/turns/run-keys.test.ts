import { describe, expect, test } from 'vitest';
import { appendTo, completed, driveTurns } from './drive-turns.ts';
import { agentEvent, beginWith, json, newKey, startSessionsForFile } from '../sessions.ts';

const service = startSessionsForFile();

const { newSession, begin, askDatabase, getRun, sessionIn } = driveTurns(service);

describe('an idempotency key', () => {
  test('accepts one run however often and from wherever it is sent', async () => {
    const session = await newSession();
    const request = beginWith(session, 'once', { idempotencyKey: 'k' });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => service.client.beginTurn({ ...request, owner: `o${n}` })),
    );
    expect(new Set(answers.map(({ invocationId }) => invocationId)).size).toBe(1);
    expect(answers.filter(({ already }) => !already)).toHaveLength(1);
    expect((await service.client.listRuns(session)).runs).toHaveLength(1);
    const elsewhere = await sessionIn({ appName: 'other' });
    expect((await service.client.beginTurn(beginWith(elsewhere, 'once', { idempotencyKey: 'k' }))).already).toBe(false);
  });

  test('finds its run for a request that only repeats, which accepts none itself', async () => {
    const session = await newSession();
    const request = beginWith(session, 'once', { idempotencyKey: 'k' });
    const repeat = (over = {}) => service.client.beginTurn({ ...request, onlyRepeats: true, ...over });
    const refusal = { code: 'not_found', reason: 'run_not_found' };
    await expect(repeat()).rejects.toMatchObject(refusal);
    const { invocationId } = await service.client.beginTurn(request);
    expect(await repeat()).toMatchObject({ invocationId, already: true });
    await expect(repeat({ idempotencyKey: '' })).rejects.toMatchObject(refusal);
    expect((await service.client.listRuns(session)).runs).toHaveLength(1);
  });

  test('finds its run when the run waits, has ended, or its session is gone', async () => {
    const session = await newSession();
    await begin(session, 'one');
    const request = beginWith(session, 'two', { idempotencyKey: 'k' });
    const { invocationId, already, turn } = await service.client.beginTurn(request);
    expect({ already, turn }).toEqual({ already: false, turn: undefined });
    expect(await service.client.beginTurn(request)).toMatchObject({ invocationId, already: true });
    await service.client.deleteSession({ session });
    expect(await service.client.beginTurn(request)).toMatchObject({ invocationId, already: true });
  });

  test('tells behind which event its request stands, also where a later request goes on with the same run', async () => {
    const session = await newSession();
    const ask = (over: object) => service.client.beginTurn(beginWith(session, 'the same', over));
    const first = await ask({ idempotencyKey: 'one' });
    expect(first.acceptedSeq).toBe(0);
    const { invocationId, turn } = first;
    if (turn === undefined) throw new Error('the run was queued');
    await service.client.appendEvents(appendTo(turn, [agentEvent(invocationId, 'failed')], completed));
    expect(await ask({ idempotencyKey: 'two', invocationId })).toMatchObject({ invocationId, acceptedSeq: 2 });
    expect(await ask({ idempotencyKey: 'one' })).toMatchObject({ invocationId, already: true, acceptedSeq: 0 });
    expect(await ask({ idempotencyKey: 'two', invocationId })).toMatchObject({ already: true, acceptedSeq: 2 });
    const waiting = await ask({ idempotencyKey: 'three' });
    expect(waiting).toMatchObject({ already: false, queuePosition: 1, acceptedSeq: 3 });
    expect(await ask({ idempotencyKey: 'three' })).toMatchObject({ already: true, acceptedSeq: 3 });
  });

  test('that a client has chosen starts another run after its hours, one however many ask; the first run stays', async () => {
    const session = await newSession();
    const keyed = (text: string) => beginWith(session, text, { idempotencyKey: 'k', idempotencyKeyHours: 24 });
    const kept = beginWith(session, 'kept', { idempotencyKey: 'of a service' });
    const { invocationId: first } = await service.client.beginTurn(keyed('one'));
    const { invocationId: ofService } = await service.client.beginTurn(kept);
    const age = (hours: number) =>
      askDatabase(
        `update run_keys set created_at = created_at - make_interval(hours => $2), expires_at = expires_at - make_interval(hours => $2)
         where account_id = $1`,
        [session.accountId, hours],
      );
    await age(23);
    expect(await service.client.beginTurn(keyed('one'))).toMatchObject({ invocationId: first, already: true });
    await age(2);
    const sent = Array.from({ length: 6 }, (_, n) => service.client.beginTurn(keyed(n % 2 === 0 ? 'two' : 'three')));
    const answers = await Promise.allSettled(sent);
    const begun = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    expect(begun.filter(({ already }) => !already)).toHaveLength(1);
    expect(new Set(begun.map(({ invocationId }) => invocationId)).size).toBe(1);
    expect(begun).toHaveLength(3);
    expect((await getRun(session, first))?.invocationId).toBe(first);
    expect(await service.client.beginTurn(kept)).toMatchObject({ invocationId: ofService, already: true });
    expect((await service.client.listRuns(session)).runs).toHaveLength(3);
  });

  test('with another request is refused, and a refused request does not use it up', async () => {
    const session = await newSession();
    const unknown = newKey({ accountId: session.accountId });
    const key = { idempotencyKey: 'k' };
    await expect(service.client.beginTurn(beginWith(unknown, 'one', key))).rejects.toMatchObject({
      reason: 'session_not_found',
    });
    await begin(session, 'one', key);
    for (const other of [
      beginWith(session, 'two', key),
      beginWith(session, 'one', { ...key, stateDeltaJson: json({}) }),
    ]) {
      await expect(service.client.beginTurn(other)).rejects.toMatchObject({ reason: 'idempotency_key_reused' });
    }
    const long = beginWith(session, 'one', { idempotencyKey: 'k'.repeat(256) });
    await expect(service.client.beginTurn(long)).rejects.toMatchObject({ reason: 'request_invalid' });
  });
});
