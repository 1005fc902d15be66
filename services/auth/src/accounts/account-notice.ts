import type { Bus } from '@agentmesh/lib/bus';
import type { Logger } from '@agentmesh/lib/telemetry';
import { AccountChangedSchema } from '@agentmesh/proto/auth/v1';
import { create, toBinary } from '@bufbuild/protobuf';

const subject = 'agentmesh.auth.v1.account_changed';

/** Hints at changed accounts. One that fails is not tried again: gateways read the changes several times a second. */
export function createAccountNotice(bus: Bus, log: Logger): (accountId: string) => void {
  return (accountId) => {
    const payload = toBinary(AccountChangedSchema, create(AccountChangedSchema, { accountId }));
    bus.publish(subject, payload).catch((err: unknown) => log.debug({ err }, 'an account change was not announced'));
  };
}
