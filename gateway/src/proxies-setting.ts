import { EnvError, makeValidator } from 'envalid';
import ipaddr from 'ipaddr.js';

/** Comma-separated addresses and CIDRs. */
export const networks = makeValidator<string[]>((input) => {
  const parts = input.split(',').map((part) => part.trim());
  const named = parts.filter((part) => part !== '');
  const bad = named.find((part) => !ipaddr.isValid(part) && !ipaddr.isValidCIDR(part));
  if (bad !== undefined) throw new EnvError(`has ${JSON.stringify(bad)}, which is no address like 10.0.0.0/8`);
  return named;
});
