import { parseSettings, SettingsError } from '@agentmesh/lib/service';
import { describe, expect, test } from 'vitest';
import { settings } from './config.ts';

const good = { ENCRYPT_KEY: 'k'.repeat(32) };

function badVariables(environment: Record<string, string>): string[] {
  try {
    parseSettings(settings, environment);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return [...error.problems.keys()];
  }
}

describe('the settings', () => {
  test.each([{}, { ENCRYPT_KEY: '' }, { ENCRYPT_KEY: ' \t\n' }])('%j names ENCRYPT_KEY as bad', (environment) => {
    expect(badVariables(environment)).toEqual(['ENCRYPT_KEY']);
  });

  test.each([
    { ACCESS_TOKEN_EXPIRE_MINUTES: '0' },
    { ACCESS_TOKEN_EXPIRE_MINUTES: '1.5' },
    { DEFAULT_SUPERADMIN_EMAIL: 'admin' },
    { DEFAULT_SUPERADMIN_PASSWORD: 'a'.repeat(600) },
    { AUTH_REGISTER_ENABLED: 'perhaps' },
    { AUTH_ARGON2_MEMORY_KIB: '7' },
    { AUTH_ARGON2_PASSES: '0' },
    // Their ends are behind the last day of a Date.
    { AUTH_REFRESH_EXPIRE_DAYS: '100000000' },
    { EMAIL_VERIFY_TOKEN_EXPIRE_HOURS: '2400000000' },
  ])('%j is refused by name', (bad) => {
    expect(badVariables({ ...good, ...bad })).toEqual(Object.keys(bad));
  });

  test('have the documented defaults', () => {
    expect(parseSettings(settings, good)).toMatchObject({
      ACCESS_TOKEN_EXPIRE_MINUTES: 120,
      AUTH_REGISTER_ENABLED: true,
      AUTH_BASIC_ENABLED: true,
      AUTH_EMAIL_VERIFICATION_REQUIRED: false,
    });
  });

  test('take a blank superadmin as none, and any other in normal form', () => {
    const email = (text: string) =>
      parseSettings(settings, { ...good, DEFAULT_SUPERADMIN_EMAIL: text }).DEFAULT_SUPERADMIN_EMAIL;
    expect(email(' ')).toBeUndefined();
    expect(email('Root@Example.com')).toBe('root@example.com');
  });
});
