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

  list(options?: CallOptions): Promise<readonly Schedule[]> {
    return this.#transport.json({ path: '/api/schedules', ...options });
  }

  get(id: string, options?: CallOptions): Promise<Schedule> {
    return this.#transport.json({ path: route`/api/schedules/${id}`, ...options });
  }

  create(body: Body<'createSchedule'>, options?: CallOptions): Promise<Schedule> {
    return this.#transport.json({ method: 'POST', path: '/api/schedules', body, ...options });
  }

  update(id: string, body: Body<'updateSchedule'>, options?: CallOptions): Promise<Schedule> {
    return this.#transport.json({ method: 'PATCH', path: route`/api/schedules/${id}`, body, ...options });
  }

  pause(id: string, options?: CallOptions): Promise<Schedule> {
    return this.#transport.json({ method: 'POST', path: route`/api/schedules/${id}/pause`, ...options });
  }

  resume(id: string, options?: CallOptions): Promise<Schedule> {
    return this.#transport.json({ method: 'POST', path: route`/api/schedules/${id}/resume`, ...options });
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: route`/api/schedules/${id}`, ...options });
  }
}
