import { expect, test } from 'vitest';
import { createLogger } from '../../telemetry/index.ts';
import { openDatabase } from '../open-database.ts';
import { prepareLogin } from './index.ts';
import { scramVerifier } from './scram-verifier.ts';
import { testDatabaseUrl } from '../testing/index.ts';

const log = createLogger({ level: 'silent', name: 'test' });

test('the stored form of a password is the one of RFC 7677', () => {
  const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
  expect(scramVerifier('pencil', salt)).toBe(
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  );
});

test('a login whose migrations are not applied is told what to run, and works after them', async () => {
  await using database = await testDatabaseUrl();
  const migrations = new URL('../../../services/keys/migrations/', import.meta.url);
  const options = { service: 'keys', poolSize: 3, migrations };
  const login = { name: 'agentmesh_pg_test_login', password: 'a password of a test' };
  await prepareLogin({ url: database.url, login, schemas: [] });
  const own = new URL(database.url);
  own.username = login.name;
  own.password = login.password;
  await expect(openDatabase({ ...options, url: own.href }, log)).rejects.toThrow('npm start -- migrate');
  await using owner = await openDatabase({ ...options, url: database.url }, log);
  expect(owner.ownsSchema).toBe(true);
  await prepareLogin({ url: database.url, login, schemas: ['keys'] });
  await using db = await openDatabase({ ...options, url: own.href }, log);
  expect(db.ownsSchema).toBe(false);
  const [row] = await db.query<{ login: string }>({ text: 'select current_user as login' });
  expect(row).toEqual({ login: login.name });
  await expect(db.query({ text: 'create table evil()' })).rejects.toThrow();
  await expect(db.query({ text: `update keys.migrations set checksum = 'x'` })).rejects.toThrow();
});
