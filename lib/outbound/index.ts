export { addressList } from './address-list.ts';
export { type AddressPolicy, createAddressPolicy } from './address-policy.ts';
export {
  AnswerRefused,
  answerRefusedBy,
  bytesOfAnswers,
  createBoundedFetch,
  readAnswer,
  roomForHeap,
} from './answers/index.ts';
export { checkAddress, checkApiBase } from './api-base.ts';
export { createGuardedApiFetch, type GuardedApiFetch } from './guarded-api-fetch.ts';
export { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts';
export { forAccount } from './names/index.ts';
export { OutboundError } from './outbound-error.ts';
