export { certificateProvider } from './certificate-provider.ts';
export { asIs } from './as-is.ts';
export { CONNECTION_OPTIONS, MAX_MESSAGE_BYTES } from './connection-options.ts';
export {
  fromService,
  fromStatus,
  messageTooLarge,
  toStatus,
  type Unanswered,
  unansweredOf,
  unavailable,
} from './grpc-status.ts';
export { MessageReader } from './message-reader.ts';
export { MessageWriter } from './message-writer.ts';
