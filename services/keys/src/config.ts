import { flag, httpUrl } from '@agentmesh/lib/service';
import type { CleanedEnv } from 'envalid';

/** Settings of the service; see docs/settings.md. */
export const settings = {
  AGENT_IDENTITY_REQUIRE_NONCE: flag({ default: false }),
  IAM_CONNECTOR_BASE_URL: httpUrl({ default: 'https://iamconnectorcredentials.googleapis.com' }),
  AGENT_IDENTITY_BASE_URL: httpUrl({ default: 'https://agentidentitycredentials.googleapis.com' }),
};

export type Config = Readonly<CleanedEnv<typeof settings>>;
