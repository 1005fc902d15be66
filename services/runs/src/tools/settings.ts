import { addressList } from '@agentmesh/lib/outbound';

/** The settings of the tools, to be spread into those of the service. */
export const toolSettings = {
  RUNS_HTTP_GET_ALLOW: addressList({
    default: [],
    desc: 'hosts and CIDRs that http_get may reach though they are not public',
  }),
};

/** The tools' configuration from the service's cleaned settings: `allow` goes to `createGuardedFetch`. */
export function readToolsConfig(settings: { readonly RUNS_HTTP_GET_ALLOW: string[] }): { readonly allow: string[] } {
  return { allow: settings.RUNS_HTTP_GET_ALLOW };
}
