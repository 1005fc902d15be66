import { parseSettings, SettingsError } from '@agentmesh/lib/service';
import { createLogger } from '@agentmesh/lib/telemetry';
import { describe, expect, test } from 'vitest';
import { checkSettings, warnOfWeakness } from './check-settings.ts';
import { settings } from './config.ts';

const strong = { ENCRYPT_KEY: 'k'.repeat(32), DEFAULT_SUPERADMIN_PASSWORD: 'correct horse' };
const weak = { ENCRYPT_KEY: 'short-key', DEFAULT_SUPERADMIN_PASSWORD: 'tiny' };

function warningsOf(environment: Record<string, string>): string {
  const lines: string[] = [];
  const log = createLogger({ level: 'warn', name: 'auth', destination: { write: (line) => void lines.push(line) } });
  warnOfWeakness(parseSettings(settings, environment), log);
  return lines.join('');
}

/** The problems, by variable. */
function problemsOf(environment: Record<string, string>): Record<string, string> {
  try {
    checkSettings(parseSettings(settings, environment));
    return {};
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return Object.fromEntries(error.problems);
  }
}

describe('a weak secret', () => {
  test('is warned of by its name and never quoted', () => {
    const warnings = warningsOf(weak);
    expect(warnings).toContain('ENCRYPT_KEY has under 32 bytes');
    expect(warnings).toContain('DEFAULT_SUPERADMIN_PASSWORD has under 8 characters');
    for (const secret of Object.values(weak)) expect(warnings).not.toContain(secret);
  });

  test('is refused in production, and nowhere else', () => {
    const refused = problemsOf({ ...weak, NODE_ENV: 'production' });
    expect(Object.keys(refused)).toEqual(['ENCRYPT_KEY', 'DEFAULT_SUPERADMIN_PASSWORD']);
    expect(problemsOf(weak)).toEqual({});
  });

  test('is told apart from a strong one', () => {
    expect(warningsOf(strong)).toBe('');
    expect(problemsOf({ ...strong, NODE_ENV: 'production' })).toEqual({});
  });
});

test('mail by SMTP needs a sender', () => {
  const smtp = { ...strong, SMTP_URL: 'smtp://127.0.0.1:2525' };
  expect(problemsOf(smtp)).toEqual({ MAIL_FROM: 'is missing: SMTP_URL is set' });
  expect(problemsOf({ ...smtp, MAIL_FROM: 'mesh@example.org' })).toEqual({});
});
