import { isShortKey } from '@agentmesh/lib/service';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { Config } from './config.ts';
import { minPasswordLength } from './password.ts';

/**
 * Warns of secrets that work but are too weak to trust.
 *
 * @throws Error naming each of them when NODE_ENV is `production`
 */
export function checkSettingStrength(config: Config, log: Logger): void {
  const weaknesses = findWeaknesses(config);
  if (weaknesses.length > 0 && config.NODE_ENV === 'production') throw new Error(weaknesses.join('\n'));
  for (const weakness of weaknesses) log.warn(weakness);
}

function findWeaknesses(config: Config): string[] {
  const weaknesses = [];
  if (isShortKey(config.ENCRYPT_KEY)) {
    weaknesses.push('ENCRYPT_KEY has under 32 bytes: whoever guesses it can forge access tokens');
  }
  const password = config.DEFAULT_SUPERADMIN_PASSWORD;
  if (password !== undefined && password.length < minPasswordLength) {
    weaknesses.push(`DEFAULT_SUPERADMIN_PASSWORD has under ${minPasswordLength} characters`);
  }
  return weaknesses;
}
