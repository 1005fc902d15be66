export { answerDeletions, type CountErased, type DeletionAnswers } from './answer-deletions.ts';
export type { Bus } from './bus.ts';
export { createPgBus, type PgBusOptions } from './create-pg-bus.ts';
export { type Fact, writeOutbox } from './outbox.ts';
export { type OutboxRelay, type OutboxRelayOptions, startOutboxRelay } from './outbox-relay.ts';
