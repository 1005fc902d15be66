export { prepareBusSchema } from './bus-schema.ts';
export { createPgDriver, type PgDriverOptions } from './create-pg-driver.ts';
