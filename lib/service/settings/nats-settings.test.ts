import { expect, test } from 'vitest';
import { checkNats, natsOptions, natsSettings } from './nats-settings.ts';
import { type Environment, parseSettings } from './parse-settings.ts';

const parse = (env: Environment) => parseSettings(natsSettings, env);

test('without NATS_URL there is no NATS', () => {
  expect(natsOptions(parse({ NATS_USER: 'a', NATS_PASSWORD: 'b' }), 'mesh')).toBeUndefined();
});

test('several servers, a user and TLS are taken', () => {
  const env = {
    NATS_URL: 'nats://one:4222, tls://two:4222',
    NATS_USER: 'sessions',
    NATS_PASSWORD: 'secret',
    NATS_TLS_CA: 'ca.pem',
  };
  checkNats(parse(env));
  expect(natsOptions(parse(env), 'sessions')).toMatchObject({
    servers: ['nats://one:4222', 'tls://two:4222'],
    user: 'sessions',
    password: 'secret',
    tls: { ca: 'ca.pem' },
    inboxPrefix: '_INBOX.sessions',
  });
});

test('a tls:// address asks for TLS, also without files', () => {
  expect(natsOptions(parse({ NATS_URL: 'tls://nats:4222' }), 'mesh')?.tls).toEqual({});
  expect(natsOptions(parse({ NATS_URL: 'nats://nats:4222' }), 'mesh')?.tls).toBeUndefined();
});

test.each([
  [{ NATS_URL: 'http://nats:4222' }, 'NATS_URL must be nats:// or tls:// addresses'],
  [{ NATS_URL: 'nats://user:secret@nats' }, 'NATS_URL must not contain a user: set NATS_USER and NATS_PASSWORD'],
  [
    { NATS_CREDS: 'a.creds', NATS_USER: 'a', NATS_PASSWORD: 'b' },
    'NATS_CREDS and NATS_USER are both set: give one of them',
  ],
  [{ NATS_USER: 'a' }, 'NATS_PASSWORD is missing: both are needed'],
  [{ NATS_TLS_CERT: 'cert.pem' }, 'NATS_TLS_KEY is missing: both are needed'],
])('%j is refused', (env, message) => {
  expect(() => checkNats(parse(env))).toThrow(message);
});
