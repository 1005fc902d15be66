import { setTimeout } from 'node:timers/promises';
import { AgentMesh, type Answer, InvalidRequestError } from '@agentmesh/client';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
/** Seconds that RFC 8628 adds to the pause of a program that asks too often. */
const slowerSeconds = 5;

export interface DeviceLogin {
  readonly url: string;
  /** Name that the person sees, and the name of the token. */
  readonly client: string;
  readonly scopes: readonly string[];
  /** Shows the person where to approve which code. */
  readonly onCode: (code: Answer<'startDeviceSignIn'>) => void;
}

/** A personal token, after a person has approved it in the console (RFC 8628). Throws when it is denied, or nobody approves it in time. */
export async function deviceToken({ url, client, scopes, onCode }: DeviceLogin): Promise<string> {
  const mesh = new AgentMesh({ url, token: () => undefined });
  const start = { client_id: client, scope: scopes.join(' ') };
  const code = await mesh.call('POST', '/api/auth/device/code', { body: start });
  onCode(code);
  let seconds = code.interval;
  for (;;) {
    await setTimeout(seconds * 1000);
    try {
      const claim = { grant_type: grantType, device_code: code.device_code } as const;
      return (await mesh.call('POST', '/api/auth/device/token', { body: claim })).access_token;
    } catch (error) {
      const reason = error instanceof InvalidRequestError ? error.code : '';
      if (reason === 'slow_down') seconds += slowerSeconds;
      else if (reason !== 'authorization_pending') throw error;
    }
  }
}
