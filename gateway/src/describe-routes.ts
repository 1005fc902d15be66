import { cleanEnv } from 'envalid';
import { settings } from './config.ts';
import type { Context } from './context.ts';
import { createServer } from './server.ts';

/** Answers every property and every call with itself: routes are described, and none is ever called. */
const unused: unknown = new Proxy(() => unused, {
  get: (_, name) => (name === 'then' || typeof name === 'symbol' ? undefined : unused),
  apply: () => unused,
});

/**
 * The OpenAPI document of the API with the default settings, as `/openapi.json` answers it. Needs no database and opens no port.
 */
export async function describeRoutes(): Promise<object> {
  const config = cleanEnv({ ENCRYPT_KEY: 'described, never used to encrypt' }, settings);
  const own = { config, browser: undefined, draining: new AbortController().signal };
  const context = new Proxy(own, {
    get: (parts, name) => (Object.hasOwn(parts, name) ? (Reflect.get(parts, name) as unknown) : unused),
  });
  const app = await createServer(context as unknown as Context);
  const document = app.swagger();
  await app.close();
  return document;
}
