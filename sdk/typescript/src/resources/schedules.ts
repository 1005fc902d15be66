import type { Answer, Body } from '../records.ts';
import { type CallOptions, route } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';

export type Schedule = Answer<'getSchedule'>;

/** Messages that are sent to agents at the times of cron expressions. */
export class Schedules {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Schedules of the account. */
  list(options?: CallOptions): Promise<readonly Schedule[]> {
    return this.#transport.json({ path: '/api/schedules', ...options });
  }

  /** One schedule. */
  async get(id: string, options?: CallOptions): Promise<Schedule> {
    return this.#transport.json({ path: route`/api/schedules/${id}`, ...options });
  }

  /**
   * Makes a schedule.
   *
   * @example
   * ```ts
   * const { id } = await mesh.schedules.create({
   *   cron: '0 9 * * *',
   *   app_name: 'echo',
   *   user_id: 'u1',
   *   new_message: { role: 'user', parts: [{ text: 'Good morning' }] },
   * });
   * console.log((await mesh.schedules.pause(id)).enabled); // false
   * ```
   */
  create(body: Body<'createSchedule'>, options?: CallOptions): Promise<Schedule> {
    return this.#transport.json({ method: 'POST', path: '/api/schedules', body, ...options });
  }

  /** Changes the given fields of a schedule. */
  async update(id: string, body: Body<'updateSchedule'>, options?: CallOptions): Promise<Schedule> {
    return this.#transport.json({ method: 'PATCH', path: route`/api/schedules/${id}`, body, ...options });
  }

  /** Lets a schedule start nothing until it is resumed. */
  async pause(id: string, options?: CallOptions): Promise<Schedule> {
    return this.#transport.json({ method: 'POST', path: route`/api/schedules/${id}/pause`, ...options });
  }

  /** Ends the pause of a schedule. */
  async resume(id: string, options?: CallOptions): Promise<Schedule> {
    return this.#transport.json({ method: 'POST', path: route`/api/schedules/${id}/resume`, ...options });
  }

  /** Deletes a schedule. Runs that it has started go on. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: route`/api/schedules/${id}`, ...options });
  }
}
