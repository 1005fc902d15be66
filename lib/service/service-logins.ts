import type { Login } from '../pg/index.ts';
import { type Environment, parseSettings, SettingsError, settingsOf } from './settings/index.ts';
import type { Settings } from './service.ts';

/** The login that `<SERVICE>_DATABASE_URL` names; undefined where it is not set. Throws SettingsError when it has no password. */
export function loginOf(service: string, env: Environment): Login | undefined {
  const variable = `${service.toUpperCase()}_DATABASE_URL`;
  const text = env[variable]?.trim();
  if (text === undefined || text === '') return undefined;
  const { username, password } = URL.parse(text) ?? { username: '', password: '' };
  if (username === '' || password === '') {
    throw new SettingsError(new Map([[variable, 'must be postgres://login:password@host/database']]));
  }
  const connections = parseSettings(settingsOf(service) as Settings, env)[
    `${service.toUpperCase()}_DATABASE_CONNECTIONS`
  ];
  return {
    name: decodeURIComponent(username),
    password: decodeURIComponent(password),
    connections: connections as number | undefined,
  };
}
