import { EnvError } from 'envalid';
import { listOf } from '../service/index.ts';
import { createAddressPolicy } from './address-policy.ts';

/** A setting: comma-separated hosts, IP addresses and CIDRs, for `createAddressPolicy`. */
export const addressList = listOf((entry) => {
  try {
    createAddressPolicy([entry]);
    return entry;
  } catch (error) {
    throw new EnvError(error instanceof Error ? error.message : 'is not a list of hosts and CIDRs');
  }
});
