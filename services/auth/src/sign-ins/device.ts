import type { Device as DeviceMessage } from '@agentmesh/proto/auth/v1';
import type { Device } from '../store/sign-ins.ts';

const maxUserAgentLength = 512;
const maxAddressLength = 64;

/** The device of a sign-in as it is stored: control characters replaced, long texts cut. */
export function deviceOf(message: DeviceMessage | undefined): Device {
  return {
    userAgent: kept(message?.userAgent ?? '', maxUserAgentLength),
    address: kept(message?.address ?? '', maxAddressLength),
  };
}

function kept(text: string, maxLength: number): string {
  return text
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, maxLength)
    .toWellFormed();
}
