export type { BusDriver, PayloadHandler, PublishOptions } from './bus-driver.ts';
export { busUnavailable } from './bus-unavailable.ts';
export type { Delivery, Sink } from './delivery.ts';
export type { Origin } from './origin.ts';
export { checkPayload, MAX_PAYLOAD_BYTES } from './payload-limit.ts';
export type { DurableName, Stream, StreamMessage, StreamPlan } from './stream.ts';
