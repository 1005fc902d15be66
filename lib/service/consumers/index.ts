export { openAudit, type ProcessAudit } from './audit-consumers.ts';
export { makeConsumer, signToken } from './consumer-identity.ts';
