import type { AuthConfig, BaseTool } from '@google/adk/core';
import { Type } from '@google/genai';
import { BuiltInTool } from './built-in-tool.ts';
import { readText } from './read-text.ts';

export const REQUEST_CREDENTIAL = 'request_credential';

const description =
  'Asks the end user to consent that a connector acts for them, and waits for the answer of the client. The status `granted` reports that ' +
  'the client answered; it is no proof that the end user has consented.';

/**
 * `request_credential`: `{connector, auth_uri, nonce}` -> `{status, connector}`. Asks for the consent as ADK does: an event calls
 * `adk_request_credential` with the address of the consent page and the nonce, and the run waits. When the client answers that call,
 * the tool is called once more and `status` is `granted`; until then it is `pending`. The client's answer proves no consent: only the
 * connector's own service knows whether it was given.
 */
export function createRequestCredential(): BaseTool {
  return new BuiltInTool({
    name: REQUEST_CREDENTIAL,
    idempotent: true,
    description,
    parameters: {
      type: Type.OBJECT,
      properties: {
        connector: { type: Type.STRING, description: 'resource name of the connector or auth provider' },
        auth_uri: { type: Type.STRING, description: 'address of the consent page' },
        nonce: { type: Type.STRING, description: 'consent nonce that came with that address' },
      },
      required: ['connector', 'auth_uri', 'nonce'],
    },
    run({ args, toolContext }) {
      const connector = readText(args, 'connector');
      const config = configOf(connector, readText(args, 'auth_uri'), readText(args, 'nonce'));
      if (toolContext.getAuthResponse(config) !== undefined) return { status: 'granted', connector };
      toolContext.requestCredential(config);
      return { status: 'pending', connector };
    },
  });
}

/** ADK's types know neither the scheme nor the nonce; its Python server and its web UI do. */
function configOf(connector: string, authUri: string, nonce: string): AuthConfig {
  const config = {
    credentialKey: `consent:${connector}`,
    authScheme: { type: 'gcpAuthProviderScheme', name: connector },
    exchangedAuthCredential: { authType: 'oauth2', oauth2: { authUri, nonce } },
  };
  return config as unknown as AuthConfig;
}
