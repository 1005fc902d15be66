export { Consumption, type ConsumptionOptions } from './consumption.ts';
export type { Pauses } from './attempts.ts';
