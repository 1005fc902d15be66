export { type BusRights, grantBusRights } from './bus-rights.ts';
export { lostBusRights } from './lost-bus-rights.ts';
export { prepareBusSchema } from './bus-schema.ts';
export { createPgDriver } from './create-pg-driver.ts';
export type { PgDriverOptions } from './pg-driver-options.ts';
