export { ConsumerAudit, type ConsumerCalls, type RecordConsumerCalls } from './consumer-audit.ts';
export { type ConsumerCall, ConsumerGate, grantFaults } from './consumer-gate.ts';
