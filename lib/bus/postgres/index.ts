export { createPgDriver, type PgDriverOptions } from './create-pg-driver.ts';
