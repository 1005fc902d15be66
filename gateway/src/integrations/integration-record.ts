import { type Static, Type } from 'typebox';

const longestWord = 64;

const redirectUri = (description: string) => Type.String({ maxLength: 2_048, description });

const service = (first: string, second: string) =>
  Type.String({ maxLength: longestWord, default: first, description: `\`${first}\` or \`${second}\`.` });

const outlook = () => service('microsoft_outlook', 'vendora_mail');
const gmail = () => service('google_gmail', 'vendorb_mail');

const pageAddress = {
  redirect_uri: redirectUri(
    'Where the provider sends the browser afterwards, with `code` and `state`: a page of the front end that is registered with the provider.',
  ),
};

export const OutlookConnectQuery = Type.Object({ ...pageAddress, service: Type.Optional(outlook()) });
export const GmailConnectQuery = Type.Object({ ...pageAddress, service: Type.Optional(gmail()) });

export const ConnectPage = Type.Object(
  {
    url: Type.String({ description: 'Address of the consent page; open it in the browser.' }),
    state: Type.String({ description: 'Comes back with the code, within ten minutes.' }),
    service: Type.String(),
  },
  { title: 'ConnectPage' },
);

const answer = {
  code: Type.String({ minLength: 1, maxLength: 8_192, writeOnly: true, description: '`code` of the redirect.' }),
  state: Type.Optional(
    Type.String({ maxLength: 256, writeOnly: true, description: '`state` of the redirect. 400 without it.' }),
  ),
  redirect_uri: Type.Optional(redirectUri('As in the first step; may be left out.')),
};

const example = { code: 'the code', state: 'the state', redirect_uri: 'http://127.0.0.1:8000/' };

export const OutlookCallback = Type.Object(
  { ...answer, service: Type.Optional(outlook()) },
  { title: 'OutlookCallback', examples: [{ ...example, service: 'microsoft_outlook' }] },
);
export const GmailCallback = Type.Object(
  { ...answer, service: Type.Optional(gmail()) },
  { title: 'GmailCallback', examples: [{ ...example, service: 'google_gmail' }] },
);
export type Callback = Static<typeof OutlookCallback>;

const shown = {
  provider: Type.String({ description: 'As the client named it.' }),
  username: Type.String({ description: 'Address of the mailbox.' }),
  scopes: Type.Array(Type.String(), { description: 'Permissions that the user has granted.' }),
  meta: Type.Object({
    display_name: Type.String({ description: 'Name of the user at the provider; may be empty.' }),
    provider_user_id: Type.String({ description: 'Id of the user at the provider.' }),
  }),
};

export const Connected = Type.Object(
  { success: Type.Boolean(), service: Type.String(), email: Type.String(), ...shown },
  { title: 'ConnectedIntegration' },
);

export const IntegrationList = Type.Array(
  Type.Object(
    {
      id: Type.Integer(),
      ...shown,
      connected_at: Type.String({ format: 'date-time' }),
      token_status: Type.String({
        description: '`active`, or `revoked` when the mail account must be connected again.',
      }),
    },
    { title: 'Integration' },
  ),
);

export const IntegrationPath = Type.Object({
  provider: Type.String({
    maxLength: longestWord,
    examples: ['google_gmail'],
    description: '`microsoft_outlook`, `google_gmail`, `vendora_mail` or `vendorb_mail`.',
  }),
});

export const Disconnected = Type.Object({ success: Type.Boolean(), message: Type.String() }, { title: 'Disconnected' });
