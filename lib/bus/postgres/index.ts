export { type BusRights, grantBusRights } from './bus-rights.ts';
export { prepareBusSchema } from './bus-schema.ts';
export { createPgDriver, type PgDriverOptions } from './create-pg-driver.ts';
