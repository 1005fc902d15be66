export { appendToStream } from './append-to-stream.ts';
export { createLocalBus } from './create-local-bus.ts';
export { createDisturbances } from './disturb-nats.ts';
export { findNatsServer } from './find-nats-server.ts';
export { startNats, type TestNats } from './start-nats.ts';
