import { Type, type Static } from 'typebox';
import { maybe, strict } from '../../edge/records/keywords.ts';

const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const ignored = () => Type.String({ default: '', description: 'Accepted and ignored: a key belongs to the account.' });

const given = {
  key_name: Type.String({ description: '1 to 100 characters after trimming.' }),
  provider: Type.String({
    description:
      '`openai`, `anthropic`, `gemini` or `google`; empty: that of the model. Another one is called by OpenAI’s API at `model_api_base`.',
  }),
  api_key_value: Type.String({
    writeOnly: true,
    description: 'The key, 4 to 500 printable ASCII characters. It is never shown again.',
  }),
  model: maybe(Type.String({ description: 'At most 200 characters; empty: none.' })),
  model_api_base: maybe(
    Type.String({
      description: 'Public https address of the API, for openai with its `/v1`; empty: the provider’s.',
    }),
  ),
  owner_id: Type.Optional(ignored()),
  organization_id: Type.Optional(ignored()),
};

export const CreateSavedKeyRequest = Type.Object(given, {
  title: 'CreateSavedKeyRequest',
  ...strict,
  required: ['key_name', 'provider', 'api_key_value'],
  examples: [{ key_name: 'Work', provider: 'openai', api_key_value: 'sk-the-key-itself', model: 'gpt-5-mini' }],
});

/** Fields of the answer that a client may send back. */
const answered = ['api_key_id', 'last_four', 'fingerprint', 'created_at', 'updated_at', 'last_used_at', 'status'];

export const UpdateSavedKeyRequest = Type.Object(
  {
    ...given,
    key_name: Type.Optional(given.key_name),
    provider: Type.Optional(given.provider),
    api_key_value: Type.Optional(
      Type.String({
        writeOnly: true,
        description: 'The new key. Its reference, `__unchanged__` or nothing: the key stays.',
      }),
    ),
  },
  { title: 'UpdateSavedKeyRequest', ...strict, 'x-ignored': answered, examples: [{ key_name: 'Work, renamed' }] },
);
export type UpdateSavedKeyRequest = Static<typeof UpdateSavedKeyRequest>;

export const SavedKeyPath = Type.Object({
  id: Type.String({ examples: ['apikey1'], description: '`apikey` and a number.' }),
});

const shown = {
  api_key_id: Type.String({ description: '`apikey` and a number.' }),
  key_name: Type.String(),
  provider: Type.String(),
  model: nullable('Null: none.'),
  model_api_base: nullable('Null: the address of the provider.'),
};

export const SavedKeyAnswer = Type.Object({ ...shown, message: Type.String() }, { title: 'SavedKeyAnswer' });

export const SavedKey = Type.Object(
  {
    ...shown,
    api_key_value: Type.String({ description: 'Reference of the key, for `model_api_key` of agents; never the key.' }),
    last_four: Type.String({ description: 'Last characters of the key; empty for a key of less than 12 characters.' }),
    fingerprint: Type.String({ description: 'Equal for equal keys of the account; changes with `ENCRYPT_KEY`.' }),
    owner_id: Type.String({ description: 'E-mail address of the account.' }),
    organization_id: Type.String({ description: 'Domain of that address.' }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    last_used_at: Type.Union([Type.String({ format: 'date-time', description: 'To the minute.' }), Type.Null()]),
    status: Type.String({
      description: '`active`, or `needs_reentry` when the key can no longer be decrypted and must be entered again.',
    }),
  },
  { title: 'SavedKey' },
);

export const SavedKeyList = Type.Array(SavedKey);

export const SavedKeyMessage = Type.Object({ message: Type.String() }, { title: 'SavedKeyMessage' });

export const SavedKeyTest = Type.Object(
  {
    ok: Type.Boolean({ description: 'The provider accepted the key.' }),
    outcome: Type.String({ description: '`accepted`, `refused`, `limited`, `failed` or `unreachable`.' }),
    http_status: Type.Union([Type.Integer(), Type.Null()], { description: 'Status of the provider’s answer.' }),
    latency_ms: Type.Integer({ description: 'Time until the answer began.' }),
    message: Type.String(),
  },
  { title: 'SavedKeyTest' },
);
