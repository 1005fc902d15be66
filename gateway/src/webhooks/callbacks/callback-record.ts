import { Type } from 'typebox';

export const Handshake = Type.Object({
  validationToken: Type.Optional(Type.String({ description: 'Set when Microsoft checks the address.' })),
});

export const GraphToken = Type.Object({
  token: Type.String({ description: 'Made when the subscription was created.', examples: ['x'] }),
});

export const OtherProvider = Type.Object({
  provider: Type.String({ description: 'Any name.', examples: ['other'] }),
});

/** Described only: any body is taken. */
export const GraphNotifications = Type.Object(
  {
    value: Type.Array(
      Type.Object({
        subscriptionId: Type.String(),
        clientState: Type.String(),
        changeType: Type.Optional(Type.String()),
        lifecycleEvent: Type.Optional(Type.String()),
        resourceData: Type.Optional(Type.Object({ id: Type.String() })),
      }),
    ),
  },
  { title: 'GraphNotifications', examples: [{ value: [] }] },
);

/** Described only: any body is taken. */
export const GmailPush = Type.Object(
  {
    message: Type.Object({ data: Type.String({ description: 'Base64 of `{emailAddress, historyId}`.' }) }),
    subscription: Type.Optional(Type.String()),
  },
  { title: 'GmailPush', examples: [{ message: { data: 'e30=' } }] },
);
