export { answerDeletions, type CountErased, type DeletionAnswers } from './answer-deletions.ts';
export type { Bus, HintHandler } from './bus.ts';
export { createPgBus } from './create-pg-bus.ts';
export { writeOutbox } from './outbox.ts';
export { type OutboxRelay, type OutboxRelayOptions, startOutboxRelay } from './outbox-relay.ts';
export { subjectOf } from './subject.ts';
