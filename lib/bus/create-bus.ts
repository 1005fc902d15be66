import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { decodeMessage, encodeMessage } from '../rpc/index.ts';
import { endWith, isTracing, type Logger, type Metrics, startProducerSpan } from '../telemetry/index.ts';
import type { Bus } from './bus.ts';
import { Consumption, type Pauses } from './consume/index.ts';
import type { BusDriver } from './driver/index.ts';
import { currentTrace } from './current-trace.ts';
import { messageSpan, subjectOf } from './names/index.ts';
import type { Seal } from './seal.ts';
import { durablesOf, isConfidential, orderKeyOf, planOf } from './topic.ts';

export interface BusOptions {
  readonly driver: BusDriver;
  /** Name of the service that uses the bus. */
  readonly service: string;
  readonly log: Logger;
  /** Counts consumed messages. */
  readonly metrics?: Metrics | undefined;
  /** Closes hints of confidential topics; without it they are sent as they are. */
  readonly seal?: Seal | undefined;
  /** Pauses in milliseconds before each further try of a handler; tests shorten them. */
  readonly pausesMs?: Pauses | undefined;
}

/** A bus of typed messages over a driver, for one service. */
export function createBus(options: BusOptions): Bus {
  const { driver, service, log } = options;
  return {
    driver,
    service,
    publish: async (topic, message, publishOptions) => {
      const [subject, payload] = [subjectOf(topic), publishOptions?.encoded ?? encodeMessage(topic, message)];
      const span = isTracing() ? startProducerSpan(messageSpan('send', subject)) : undefined;
      const origin = { sender: service, traceparent: span?.traceparent ?? currentTrace() };
      const closed = sealOf(topic, options)?.close(subject, payload) ?? payload;
      const sent = driver.publish(subject, closed, origin, publishOptions);
      await (span === undefined ? sent : endWith(span, sent));
    },
    subscribe: (topic, handler) => {
      const [subject, seal] = [subjectOf(topic), sealOf(topic, options)];
      return driver.subscribe(subject, (sent, origin) => {
        const payload = seal === undefined ? sent : seal.open(subject, sent);
        // Forged, or by a replica with another key.
        if (payload === undefined) return log.debug({ subject }, 'a hint was dropped: its seal does not open');
        const message = decode(topic, payload);
        if (message instanceof Error) log.error({ err: message, subject }, 'a hint was dropped: it cannot be decoded');
        else return handler(message, origin);
        return undefined;
      });
    },
    consume: async (topic, durable, handler) => {
      const name = nameOf(topic, durable);
      const consumption = new Consumption({
        ...options,
        name,
        decode: (payload) => decode(topic, payload),
        keyOf: orderKeyOf(topic),
        handle: (message, delivery) => handler(message as MessageShape<typeof topic>, delivery),
      });
      const stop = await driver.consume(name, consumption);
      return async () => {
        await consumption.close();
        await stop();
      };
    },
    replay: (topic, durable) => driver.replay(nameOf(topic, durable)),
    openStream: (topics) => driver.openStream(planOf(service, topics)),
    ping: () => driver.ping(),
  };
}

function sealOf(topic: DescMessage, { seal }: BusOptions): Seal | undefined {
  return isConfidential(topic) ? seal : undefined;
}

function nameOf(topic: DescMessage, durable: string) {
  if (durablesOf(topic).includes(durable)) return { subject: subjectOf(topic), durable };
  throw new Error(`${topic.typeName} does not declare the consumer ${durable}: see topics.proto`);
}

function decode<T extends DescMessage>(topic: T, payload: Uint8Array): MessageShape<T> | Error {
  try {
    return decodeMessage(topic, Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength));
  } catch (error) {
    return new Error(`not a ${topic.typeName}`, { cause: error });
  }
}
