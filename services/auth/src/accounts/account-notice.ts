import type { Bus } from '@agentmesh/lib/bus';
import type { Logger } from '@agentmesh/lib/telemetry';
import { AccountChangedSchema } from '@agentmesh/proto/auth/v1';

/** Publishes AccountChanged. A failure is not retried, because gateways read the changes from the database every 400 ms anyway. */
export function createAccountNotice(bus: Bus, log: Logger): (accountId: string) => void {
  return (accountId) => {
    bus
      .publish(AccountChangedSchema, { accountId })
      .catch((err: unknown) =>
        log.debug({ err }, 'AccountChanged could not be published; gateways read the change from auth instead'),
      );
  };
}
