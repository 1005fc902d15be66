import { listOf } from '@agentmesh/lib/service';
import { EnvError } from 'envalid';
import { createAddressPolicy } from '../outbound/index.ts';

/** Comma-separated hosts, IP addresses and CIDRs. */
const addresses = listOf((entry) => {
  try {
    createAddressPolicy([entry]);
    return entry;
  } catch (error) {
    throw new EnvError(error instanceof Error ? error.message : 'is not a list of hosts and CIDRs');
  }
});

/** The settings of the tools, to be spread into those of the service. */
export const toolSettings = {
  RUNS_HTTP_GET_ALLOW: addresses({
    default: [],
    desc: 'hosts and CIDRs that http_get may reach though they are not public',
  }),
};

/** The tools' configuration from the service's cleaned settings: `allow` goes to `createGuardedFetch`. */
export function readToolsConfig(settings: { readonly RUNS_HTTP_GET_ALLOW: string[] }): { readonly allow: string[] } {
  return { allow: settings.RUNS_HTTP_GET_ALLOW };
}
