export { certificateProvider } from './certificate-provider.ts';
export { asBuffer, asIs, CONNECTION_OPTIONS, decode, encode, MAX_MESSAGE_BYTES } from './grpc-codec.ts';
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
