export { Deliveries, push } from './deliveries.ts';
export type { Fault, FaultAction } from './faults.ts';
export { caseSensitiveId, defaultSender, type MailAddress, type NewAttachment, type NewMail, uuidOf } from './mail.ts';
export { type Call, insist, Refused, type Reply } from './reply.ts';
export { type Route, startUpstream, type Upstream } from './upstream.ts';
export { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
export {
  Authorization,
  type FakeClient,
  type FakeUser,
  type Grant,
  type TokenRefusal,
  unsignedToken,
} from './authorization.ts';
export { openConsentPage } from './consent.ts';
