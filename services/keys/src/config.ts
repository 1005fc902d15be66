import { addressList } from '@agentmesh/lib/outbound';
import { daysFrom, encryptKey, flag, httpUrl, positiveInteger, text } from '@agentmesh/lib/service';
import { type CleanedEnv, str } from 'envalid';

/** Settings of the service; see docs/settings.md. */
export const settings = {
  ENCRYPT_KEY: encryptKey(),
  // The whole text, because a former key may itself contain blanks and commas.
  ENCRYPT_KEY_PREVIOUS: str({ default: '' }),
  KEYS_MAX_PER_ACCOUNT: positiveInteger({ default: 500 }),
  KEYS_USAGE_KEEP_DAYS: daysFrom(0)({ default: 400, desc: 'days for which the use of models is kept; 0: for ever' }),
  MODEL_API_BASE_ALLOW: addressList({ default: [] }),
  OPENAI_BASE_URL: httpUrl({ default: 'https://api.openai.com/v1' }),
  ANTHROPIC_BASE_URL: httpUrl({ default: 'https://api.anthropic.com' }),
  GEMINI_BASE_URL: httpUrl({ default: 'https://generativelanguage.googleapis.com' }),
  AGENT_IDENTITY_REQUIRE_NONCE: flag({ default: false }),
  IAM_CONNECTOR_BASE_URL: httpUrl({ default: 'https://iamconnectorcredentials.googleapis.com' }),
  AGENT_IDENTITY_BASE_URL: httpUrl({ default: 'https://agentidentitycredentials.googleapis.com' }),
  MICROSOFT_CLIENT_ID: text({ default: undefined }),
  MICROSOFT_CLIENT_SECRET: text({ default: undefined }),
  MICROSOFT_TENANT: text({ default: 'common' }),
  MICROSOFT_LOGIN_BASE_URL: httpUrl({ default: 'https://login.microsoftonline.com' }),
  MICROSOFT_GRAPH_BASE_URL: httpUrl({ default: 'https://graph.microsoft.com' }),
  GOOGLE_CLIENT_ID: text({ default: undefined }),
  GOOGLE_CLIENT_SECRET: text({ default: undefined }),
  GOOGLE_AUTH_URL: httpUrl({ default: 'https://accounts.google.com/o/oauth2/v2/auth' }),
  GOOGLE_TOKEN_URL: httpUrl({ default: 'https://oauth2.googleapis.com/token' }),
  GOOGLE_USERINFO_URL: httpUrl({ default: 'https://openidconnect.googleapis.com/v1/userinfo' }),
};

export type Config = Readonly<CleanedEnv<typeof settings>>;

/** The root secrets of what the service encrypts. */
export function rootsOf({ ENCRYPT_KEY, ENCRYPT_KEY_PREVIOUS }: Config) {
  return { current: ENCRYPT_KEY, previous: ENCRYPT_KEY_PREVIOUS };
}
