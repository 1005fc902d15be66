export type { BusDriver } from './bus-driver.ts';
export { checkPayload } from './payload-limit.ts';
