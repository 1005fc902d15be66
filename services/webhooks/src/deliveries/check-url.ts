import { type AddressPolicy, checkAddress, OutboundError } from '@agentmesh/lib/outbound';
import { runWebhookUrlRefused } from '../errors.ts';

/** Checks the address of a webhook as far as that is possible without resolving its name. Throws `run_webhook_url_refused`. */
export function checkWebhookUrl(url: string, policy: AddressPolicy): void {
  try {
    checkAddress(url, policy);
  } catch (error) {
    throw error instanceof OutboundError ? runWebhookUrlRefused(error.message) : error;
  }
}
