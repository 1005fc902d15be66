export type { NatsOptions } from './connect-nats.ts';
export { createNatsDriver } from './create-nats-driver.ts';
