import type { Answer } from '../records.ts';
import { type CallOptions, route } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';

/** The applications that there are: files of the server, and agents of the account. */
export class Apps {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Names of all apps. */
  list(options?: CallOptions): Promise<readonly string[]> {
    return this.#transport.json({ path: '/list-apps', ...options });
  }

  /** All apps with what is known of them. */
  async details(options?: CallOptions): Promise<readonly Record<string, unknown>[]> {
    const query = { detailed: true };
    const { apps } = await this.#transport.json<{ apps: Record<string, unknown>[] }>({
      path: '/list-apps',
      query,
      ...options,
    });
    return apps;
  }

  /** The agents of an app. */
  async info(app: string, options?: CallOptions): Promise<Answer<'getAppInfo'>> {
    return this.#transport.json({ path: route`/apps/${app}/app-info`, ...options });
  }
}
