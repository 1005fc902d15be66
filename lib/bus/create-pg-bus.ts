import type { Bus } from './bus.ts';
import { createBus } from './create-bus.ts';
import { createPgDriver, type PgDriverOptions } from './postgres/index.ts';

/** A bus over PostgreSQL, which every process of the mesh reaches. For disposing and errors see `createPgDriver`. */
export async function createPgBus(options: PgDriverOptions): Promise<Bus & AsyncDisposable> {
  const driver = await createPgDriver(options);
  return { ...createBus(driver, options.log), [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose]() };
}
