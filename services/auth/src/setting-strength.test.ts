import { parseSettings } from '@agentmesh/lib/service';
import { createLogger } from '@agentmesh/lib/telemetry';
import { describe, expect, test } from 'vitest';
import { settings } from './config.ts';
import { checkSettingStrength } from './setting-strength.ts';

const strong = { ENCRYPT_KEY: 'k'.repeat(32), DEFAULT_SUPERADMIN_PASSWORD: 'correct horse' };
const weak = { ENCRYPT_KEY: 'short-key', DEFAULT_SUPERADMIN_PASSWORD: 'tiny' };

function warningsOf(environment: Record<string, string>): string {
  const lines: string[] = [];
  const log = createLogger({ level: 'warn', name: 'auth', destination: { write: (line) => void lines.push(line) } });
  checkSettingStrength(parseSettings(settings, environment), log);
  return lines.join('');
}

describe('a weak secret', () => {
  test('is warned of by its name and never quoted', () => {
    const warnings = warningsOf(weak);
    expect(warnings).toContain('ENCRYPT_KEY has under 32 bytes');
    expect(warnings).toContain('DEFAULT_SUPERADMIN_PASSWORD has under 8 characters');
    for (const secret of Object.values(weak)) expect(warnings).not.toContain(secret);
  });

  test('is refused in production', () => {
    expect(() => warningsOf({ ...weak, NODE_ENV: 'production' })).toThrow(/ENCRYPT_KEY[^]*DEFAULT_SUPERADMIN_PASSWORD/);
  });

  test('is told apart from a strong one', () => {
    expect(warningsOf({ ...strong, NODE_ENV: 'production' })).toBe('');
  });
});
