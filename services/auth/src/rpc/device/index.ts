import type { Context } from '../../context.ts';
import type { Handlers } from '../handlers.ts';
import { claimDeviceToken } from './claim-device-token.ts';
import { decideDeviceSignIn } from './decide-device-sign-in.ts';
import { findDeviceSignIn } from './find-device-sign-in.ts';
import { startDeviceSignIn } from './start-device-sign-in.ts';

/** Sign-ins of programs without a browser. */
export function deviceHandlers(
  context: Context,
): Pick<Handlers, 'startDeviceSignIn' | 'findDeviceSignIn' | 'decideDeviceSignIn' | 'claimDeviceToken'> {
  return {
    startDeviceSignIn: startDeviceSignIn(context),
    findDeviceSignIn: findDeviceSignIn(context),
    decideDeviceSignIn: decideDeviceSignIn(context),
    claimDeviceToken: claimDeviceToken(context),
  };
}
