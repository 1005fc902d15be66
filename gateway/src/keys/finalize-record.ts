import { Type } from 'typebox';

const segment = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';

export const FinalizeRequest = Type.Object(
  {
    connectorName: Type.String({
      pattern: `^projects/${segment}/locations/${segment}/(connectors|authProviders)/${segment}$`,
      description: 'Resource that the end user consented to.',
    }),
    userId: Type.String({
      minLength: 1,
      maxLength: 512,
      description:
        'Your own e-mail address or account id, or the user of a session of yours that asked for the credential.',
    }),
    userIdValidationState: Type.String({ description: 'Base64, as the consent page sent it back.' }),
    consentNonce: Type.String({ minLength: 1, maxLength: 4096, description: 'Nonce of the credential request.' }),
  },
  {
    title: 'FinalizeRequest',
    examples: [
      {
        connectorName: 'projects/acme/locations/us-central1/connectors/drive',
        userId: 'user',
        userIdValidationState: 'c3RhdGU=',
        consentNonce: 'the nonce of the credential request',
      },
    ],
  },
);

export const Finalized = Type.Object({}, { title: 'Finalized' });
