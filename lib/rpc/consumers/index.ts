export { type ConsumerCall, ConsumerGate, grantFaults } from './consumer-gate.ts';
