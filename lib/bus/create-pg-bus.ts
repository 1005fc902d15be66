import type { Bus } from './bus.ts';
import { type BusOptions, createBus } from './create-bus.ts';
import { createPgDriver, type PgDriverOptions } from './postgres/index.ts';

/**
 * A bus over PostgreSQL, which every process of the mesh reaches. `service` is the name of the service that uses it. For disposing and errors see
 * `createPgDriver`.
 */
export async function createPgBus({
  service = 'tests',
  ...options
}: PgDriverOptions & Partial<Omit<BusOptions, 'driver'>>): Promise<Bus & AsyncDisposable> {
  const driver = await createPgDriver(options);
  return {
    ...createBus({ ...options, service, driver }),
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
  };
}
