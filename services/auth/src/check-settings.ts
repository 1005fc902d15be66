import { isShortKey, SettingsError } from '@agentmesh/lib/service';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { Config } from './config.ts';
import { minPasswordLength } from './passwords/password-length.ts';

/** @throws SettingsError if SMTP_URL is set without MAIL_FROM, and with NODE_ENV=production if a secret is too short */
export function checkSettings(config: Config): void {
  const problems = config.NODE_ENV === 'production' ? weaknessesOf(config) : new Map<string, string>();
  if (config.SMTP_URL !== undefined && config.MAIL_FROM === undefined) {
    problems.set('MAIL_FROM', 'is missing: SMTP_URL is set');
  }
  if (problems.size > 0) throw new SettingsError(problems);
}

/** A sentence for each secret that is too short. */
export function weaknesses(config: Config): string[] {
  return Array.from(weaknessesOf(config), ([variable, weakness]) => `${variable} ${weakness}`);
}

/** Logs a warning for each secret that is too short. */
export function warnOfWeakness(config: Config, log: Logger): void {
  for (const weakness of weaknesses(config)) log.warn(weakness);
}

function weaknessesOf(config: Config): Map<string, string> {
  const weaknesses = new Map<string, string>();
  if (isShortKey(config.ENCRYPT_KEY)) {
    weaknesses.set('ENCRYPT_KEY', 'has under 32 bytes: whoever guesses it can forge access tokens');
  }
  const password = config.DEFAULT_SUPERADMIN_PASSWORD;
  if (password !== undefined && password.length < minPasswordLength) {
    weaknesses.set('DEFAULT_SUPERADMIN_PASSWORD', `has under ${minPasswordLength} characters`);
  }
  return weaknesses;
}
