import { listOf } from '@agentmesh/lib/service';
import { EnvError } from 'envalid';
import ipaddr from 'ipaddr.js';

/** Comma-separated addresses and CIDRs. */
export const networks = listOf((part) => {
  if (ipaddr.isValid(part) || ipaddr.isValidCIDR(part)) return part;
  throw new EnvError(`has ${JSON.stringify(part)}, which is no address like 10.0.0.0/8`);
});
