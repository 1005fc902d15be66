import { Type, type Static } from 'typebox';
import { freeForm, keeping, maybe } from '../../edge/records/keywords.ts';

const PubSubMessage = Type.Object(
  {
    data: maybe(Type.String({ description: 'Base64 of UTF-8.' })),
    attributes: maybe(
      Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
    ),
    messageId: maybe(Type.String({ description: 'The same in every delivery of the message.' })),
    publishTime: maybe(Type.String()),
  },
  { ...keeping, title: 'PubSubMessage' },
);
export type PubSubMessage = Static<typeof PubSubMessage>;

/** Body of a push subscription. */
export const PubSubTriggerRequest = Type.Object(
  { message: PubSubMessage, subscription: maybe(Type.String({ description: 'Full name of the subscription.' })) },
  {
    ...keeping,
    title: 'PubSubTriggerRequest',
    examples: [
      {
        message: { data: 'SGVsbG8sIG1lc2g=', messageId: '1' },
        subscription: 'projects/my-project/subscriptions/orders',
      },
    ],
  },
);
export type PubSubTriggerRequest = Static<typeof PubSubTriggerRequest>;

/** Body of a CloudEvent: the event (structured mode), or its data alone, whose attributes are headers `ce-…` (binary mode). */
export const EventarcTriggerRequest = Type.Object(
  {
    data: maybe(freeForm()),
    source: maybe(Type.String()),
    type: maybe(Type.String()),
    id: maybe(Type.String({ description: 'The same in every delivery of the event.' })),
    time: maybe(Type.String()),
    specversion: maybe(Type.String()),
    message: maybe(PubSubMessage),
    subscription: maybe(Type.String()),
  },
  {
    ...keeping,
    title: 'EventarcTriggerRequest',
    examples: [
      {
        data: { bucket: 'orders', name: 'today.csv' },
        source: '//storage.googleapis.com/projects/_/buckets/orders',
        type: 'google.cloud.storage.object.v1.finalized',
        id: '1',
        specversion: '1.0',
      },
    ],
  },
);
export type EventarcTriggerRequest = Static<typeof EventarcTriggerRequest>;

export const TriggerResponse = Type.Object(
  {
    status: Type.Enum(['success', 'error'], {
      description: '`error`: somebody has cancelled the run, which no other delivery would change.',
    }),
  },
  { title: 'TriggerResponse' },
);
export type TriggerResponse = Static<typeof TriggerResponse>;
