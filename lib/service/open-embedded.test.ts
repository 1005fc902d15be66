import { expect, test } from 'vitest';
import { unusableDataDir } from './open-embedded.ts';
import { SettingsError } from './settings/index.ts';

test('a DATA_DIR on a full disk is named, also where the error has no path', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const told = unusableDataDir('/data', full);
  expect(told).toBeInstanceOf(SettingsError);
  expect((told as Error).message).toBe(
    'DATA_DIR /data cannot be used by PostgreSQL: there is no space left\nMend that. In another folder begins an empty mesh.',
  );
});

test('an error of another kind stays as it is', () => {
  const other = new TypeError('a mistake of ours');
  expect(unusableDataDir('/data', other)).toBe(other);
});
