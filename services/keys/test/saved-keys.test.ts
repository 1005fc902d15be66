import { randomUUID } from 'node:crypto';
import { KeyKind } from '@agentmesh/proto/keys/v1/saved_keys';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encryptKey, openKeys, type TestKeys } from './open-keys.ts';

const kind = KeyKind.SAVED;
const secret = 'sk-planted-secret-of-tests-4242';
const resources = new AsyncDisposableStack();
let keys: TestKeys;

beforeAll(async () => {
  keys = resources.use(await openKeys({ KEYS_MAX_PER_ACCOUNT: '3' }));
});
afterAll(() => resources.disposeAsync());

const create = async (over: object = {}) => {
  const request = { accountId: randomUUID(), kind, name: 'mine', provider: 'openai', secret, ...over };
  const { key } = await keys.savedKeys.createKey(request);
  if (key === undefined) throw new Error('no key');
  return { ...key, accountId: request.accountId, keyId: key.id };
};
const named = ({ accountId, keyId }: { accountId: string; keyId: bigint }) => ({ accountId, keyId, kind });

describe('a saved key', () => {
  test('shows its last four characters and a fingerprint, and never its secret', async () => {
    const { accountId, keyId } = await create({ model: ' gpt-5-mini ', modelApiBase: 'https://api.example.com/v1' });
    const { key } = await keys.savedKeys.getKey({ accountId, keyId, kind });
    expect(key).toMatchObject({
      name: 'mine',
      provider: 'openai',
      model: 'gpt-5-mini',
      modelApiBase: 'https://api.example.com/v1',
      lastFour: '4242',
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      needsReentry: false,
      lastUsedTime: 0,
      revision: 1n,
    });
    expect(Math.abs((key?.createTime ?? 0) - Date.now() / 1_000)).toBeLessThan(60);
  });

  test('of less than 12 characters shows none of them', async () => {
    expect(await create({ secret: 'sk-12345678' })).toMatchObject({ lastFour: '' });
    expect(await create({ secret: 'sk-123456789' })).toMatchObject({ lastFour: '6789' });
  });

  test('has the fingerprint of equal keys of its account, and of no others', async () => {
    const accountId = randomUUID();
    const [one, two, three] = [
      await create({ accountId }),
      await create({ accountId, name: 'again' }),
      await create({ accountId, secret: `${secret}!` }),
    ];
    expect(one.fingerprint).toBe(two.fingerprint);
    expect(three.fingerprint).not.toBe(one.fingerprint);
    expect((await create()).fingerprint).not.toBe(one.fingerprint);
  });

  test('is listed with the others of its kind, oldest first', async () => {
    const accountId = randomUUID();
    for (const name of ['a', 'b']) await create({ accountId, name });
    await create({ accountId, name: 'of an agent', kind: KeyKind.AGENT });
    const { keys: listed } = await keys.savedKeys.listKeys({ accountId, kind });
    expect(listed.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('answers to another account, and under another kind, like one that does not exist', async () => {
    const mine = await create();
    const missing = { code: 'not_found', reason: 'key_not_found', message: 'API key not found' };
    const others = [
      { ...named(mine), accountId: randomUUID() },
      { ...named(mine), kind: KeyKind.AGENT },
      { ...named(mine), keyId: mine.keyId + 1_000n },
    ];
    for (const other of others) {
      await expect(keys.savedKeys.getKey(other)).rejects.toMatchObject(missing);
      await expect(keys.savedKeys.updateKey({ ...other, name: 'x' })).rejects.toMatchObject(missing);
      await expect(keys.savedKeys.deleteKey(other)).rejects.toMatchObject(missing);
    }
    expect((await keys.savedKeys.getKey(named(mine))).key?.name).toBe('mine');
  });

  test('has a number that tells nothing of other keys', async () => {
    const [first, second] = [await create(), await create()];
    expect(Math.abs(Number(second.keyId - first.keyId))).toBeGreaterThan(1_000);
    expect(Math.max(Number(first.keyId), Number(second.keyId))).toBeLessThan(2 ** 48);
  });

  test('is gone when it is deleted, and its number is not used again', async () => {
    const key = await create();
    await keys.savedKeys.deleteKey(named(key));
    await expect(keys.savedKeys.deleteKey(named(key))).rejects.toMatchObject({ reason: 'key_not_found' });
    expect((await create()).keyId).not.toBe(key.keyId);
  });

  test('is stored as often as allowed when 250 calls come at once', async () => {
    const accountId = randomUUID();
    // Without a lock all that are stored at the same time are counted before any of them is.
    await keys.rows(
      `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.02); return new; end $$`,
    );
    await keys.rows(`create trigger slow before insert on saved_keys for each row when (new.account_id = '${accountId}')
      execute function slow()`);
    const outcomes = await Promise.allSettled(Array.from({ length: 250 }, () => create({ accountId })));
    await keys.rows('drop function slow cascade');
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  test('is refused when its account has as many as allowed, each kind for itself', async () => {
    const accountId = randomUUID();
    for (let number = 0; number < 3; number += 1) await create({ accountId });
    await expect(create({ accountId })).rejects.toMatchObject({ code: 'resource_exhausted', reason: 'keys_too_many' });
    await create({ accountId, kind: KeyKind.AGENT });
  });
});

describe('a change of a key', () => {
  test('touches only the fields that it names', async () => {
    const key = await create({ model: 'gpt-5-mini' });
    const { key: renamed } = await keys.savedKeys.updateKey({ ...named(key), name: ' new ' });
    const { fingerprint, lastFour, model } = key;
    expect(renamed).toMatchObject({ name: 'new', fingerprint, lastFour, model, revision: 2n });
    const rotated = await keys.savedKeys.updateKey({ ...named(key), secret: 'sk-another-secret-0001' });
    expect(rotated.key).toMatchObject({ name: 'new', lastFour: '0001', revision: 3n });
    expect(rotated.key?.fingerprint).not.toBe(fingerprint);
  });

  test('of the base address or the provider needs the key again', async () => {
    const key = await create({ modelApiBase: 'https://api.example.com/v1' });
    const required = { code: 'invalid_argument', reason: 'key_secret_required' };
    for (const change of [{ modelApiBase: 'https://evil.example/v1' }, { modelApiBase: '' }, { provider: 'gemini' }]) {
      await expect(keys.savedKeys.updateKey({ ...named(key), ...change })).rejects.toMatchObject(required);
      await keys.savedKeys.updateKey({ ...named(key), modelApiBase: key.modelApiBase, provider: 'OpenAI' });
    }
    const change = { modelApiBase: 'https://other.example/v1', secret: 'sk-another-secret-0001' };
    const { key: moved } = await keys.savedKeys.updateKey({ ...named(key), ...change });
    expect(moved).toMatchObject({ modelApiBase: 'https://other.example/v1', lastFour: '0001' });
  });

  test('is lost to no other change at the same time', async () => {
    const key = await create();
    const changes = Array.from({ length: 12 }, (_, index) =>
      keys.savedKeys.updateKey({
        ...named(key),
        ...(index % 2 === 0 ? { name: `n${index}` } : { model: `m${index}` }),
      }),
    );
    await Promise.all(changes);
    expect((await keys.savedKeys.getKey(named(key))).key).toMatchObject({
      name: expect.stringMatching(/^n\d/),
      model: expect.stringMatching(/^m\d/),
      revision: 13n,
    });
  });
});

describe('a field is refused by its own reason and is not quoted:', () => {
  test.each([
    ['a blank name', { name: '  ' }, 'key_name_invalid'],
    ['a long name', { name: 'x'.repeat(101) }, 'key_name_invalid'],
    ['a name with a control character', { name: 'planted\u0007' }, 'key_name_invalid'],
    ['a provider with a control character', { provider: 'acme\u0007' }, 'key_provider_invalid'],
    ['a long provider', { provider: 'p'.repeat(101) }, 'key_provider_invalid'],
    ['a short secret', { secret: 'abc' }, 'key_secret_invalid'],
    ['a secret of 1 MB', { secret: 'planted'.repeat(150_000) }, 'key_secret_invalid'],
    ['a secret with a line break', { secret: 'planted\r\nX-Evil: 1' }, 'key_secret_invalid'],
    ['a secret with NUL', { secret: 'planted\0' }, 'key_secret_invalid'],
    ['a secret that no header can carry', { secret: 'planted-🔑' }, 'key_secret_invalid'],
    ['a base that is no URL', { modelApiBase: 'planted' }, 'model_api_base_refused'],
    ['a base on this machine', { modelApiBase: 'https://2130706433/v1' }, 'model_api_base_refused'],
    ['a base of the mesh', { modelApiBase: 'https://keys:9106' }, 'model_api_base_refused'],
    ['a base without TLS', { modelApiBase: 'http://api.example.com/v1' }, 'model_api_base_refused'],
    ['a model with a control character', { model: 'a\u001b[2J' }, 'key_model_invalid'],
    ['a long model', { model: 'm'.repeat(201) }, 'key_model_invalid'],
    ['no kind', { kind: KeyKind.UNSPECIFIED }, 'request_invalid'],
    ['an account that is no UUID', { accountId: 'me' }, 'request_invalid'],
  ])('%s', async (_, over, reason) => {
    const refused = await create(over).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'invalid_argument', reason });
    expect(String(refused)).not.toContain('planted');
  });

  test.each(['', ' OpenAI ', 'anthropic', 'Gemini', 'google'])('the provider "%s" is taken', async (provider) => {
    expect((await create({ provider })).provider).toBe(provider.trim().toLowerCase());
  });

  test('500 characters are a key, and 4', async () => {
    await create({ secret: 'x'.repeat(500) });
    await create({ secret: 'abcd' });
  });
});

describe('at rest', () => {
  test('the database holds no part of a secret', async () => {
    // The last four characters cannot be part of an id or of an envelope.
    const end = '~!|?';
    await create({ secret: `sk-only-in-this-test-${end}` });
    const dump = JSON.stringify(await keys.rows('select * from saved_keys'), (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    const forms = [secret, 'only-in-this-test', end, Buffer.from('only-in-this').toString('base64url').slice(0, -2)];
    for (const form of forms) expect(dump).not.toContain(form);
  });

  test('a row that was copied to another account or id needs its key again', async () => {
    const [mine, victim] = [await create(), await create({ secret: 'sk-secret-of-the-victim' })];
    await keys.rows(`update saved_keys set secret = (select secret from saved_keys where id = ${victim.keyId})
      where id = ${mine.keyId}`);
    expect((await keys.savedKeys.getKey(named(mine))).key).toMatchObject({ needsReentry: true, lastFour: '' });
    const { key } = await keys.savedKeys.updateKey({ ...named(mine), secret });
    expect(key).toMatchObject({ needsReentry: false, lastFour: '4242' });
  });
});

describe('another ENCRYPT_KEY', () => {
  const next = 'the next encrypt key, which only these tests use';

  test('opens stored keys while the former one is named, and asks for them again when it is lost', async () => {
    const key = await create();
    const env = { DATABASE_URL: keys.databaseUrl, ENCRYPT_KEY: next };
    {
      await using rotated = await openKeys({ ...env, ENCRYPT_KEY_PREVIOUS: `other, ${encryptKey}` });
      const { key: found } = await rotated.savedKeys.getKey(named(key));
      expect(found).toMatchObject({ needsReentry: false, lastFour: '4242' });
    }
    await using lost = await openKeys(env);
    const { keys: listed } = await lost.savedKeys.listKeys({ accountId: key.accountId, kind });
    expect(listed).toMatchObject([{ needsReentry: true, lastFour: '', fingerprint: '', name: 'mine' }]);
  });
});

test('a deleted account leaves no key, and the receipt counts them', async () => {
  const accountId = randomUUID();
  await create({ accountId });
  await create({ accountId, kind: KeyKind.AGENT });
  const stays = await create();
  expect(await keys.announceDeletion(accountId)).toMatchObject({
    service: 'keys',
    counts: { saved_keys: 2n, limits: 0n },
  });
  expect(await keys.rows(`select 1 from saved_keys where account_id = '${accountId}'`)).toEqual([]);
  expect((await keys.savedKeys.getKey(named(stays))).key?.name).toBe('mine');
});
