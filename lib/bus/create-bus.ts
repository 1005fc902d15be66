import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { Logger } from '../telemetry/index.ts';
import type { BusDriver } from './driver/index.ts';
import type { Bus } from './bus.ts';
import { subjectOf } from './subject.ts';

/** A bus of typed messages over a driver. */
export function createBus(driver: BusDriver, log: Logger): Bus {
  return {
    driver,
    publish: async (topic, message) => driver.publish(subjectOf(topic), toBinary(topic, create(topic, message))),
    subscribe: (topic, handler) => {
      const subject = subjectOf(topic);
      return driver.subscribe(subject, async (payload) => {
        const message = decode(topic, payload);
        if (message instanceof Error) log.error({ err: message, subject }, 'a hint was dropped: it cannot be decoded');
        else await handler(message);
      });
    },
    ping: () => driver.ping(),
  };
}

function decode<T extends DescMessage>(topic: T, payload: Uint8Array): MessageShape<T> | Error {
  try {
    return fromBinary(topic, payload);
  } catch (error) {
    return new Error(`not a ${topic.typeName}`, { cause: error });
  }
}
