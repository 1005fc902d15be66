import { callingService, checkAccountId } from '@agentmesh/lib/rpc';
import { recordConsumerCalls as record } from '../../accounts/consumer-calls.ts';
import type { Context } from '../../context.ts';
import { consumerCallsInvalid, reportOfAnother } from '../../errors.ts';
import type { Handlers } from '../handlers.ts';

const mostCalls = 1_000;
const longestName = 100;

/** Records calls of consumers of the calling service. */
export function recordConsumerCalls({ db }: Context): Handlers['recordConsumerCalls'] {
  return async ({ service, calls }, call) => {
    if (service !== callingService(call)) throw reportOfAnother();
    const isValid = calls.every(({ consumer, method }) => isName(consumer) && isName(method));
    if (!isValid || calls.length > mostCalls) throw consumerCallsInvalid();
    for (const { accountId } of calls) if (accountId !== '') checkAccountId(accountId);
    await record(db, service, calls);
    return {};
  };
}

function isName(text: string): boolean {
  return text !== '' && text.length <= longestName && !text.includes('\0');
}
