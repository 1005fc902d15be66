import type { Bus } from '@agentmesh/lib/bus';
import type { Logger } from '@agentmesh/lib/telemetry';
import { AccountChangedSchema } from '@agentmesh/proto/auth/v1';

/** Hints at changed accounts. One that fails is not tried again: gateways read the changes several times a second. */
export function createAccountNotice(bus: Bus, log: Logger): (accountId: string) => void {
  return (accountId) => {
    bus
      .publish(AccountChangedSchema, { accountId })
      .catch((err: unknown) => log.debug({ err }, 'an account change was not announced'));
  };
}
