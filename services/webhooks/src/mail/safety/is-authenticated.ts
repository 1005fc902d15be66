import type { AuthenticationResult } from './authentication-results.ts';

/**
 * Returns whether the receiving server has confirmed that a mail comes from the domain of its sender: DMARC passed for that domain; or DMARC
 * did not fail, and DKIM or SPF passed for that domain or one that it belongs to.
 */
export function isAuthenticated(results: readonly AuthenticationResult[], sender: string | undefined): boolean {
  const domain = domainOf(sender);
  if (domain === undefined) return false;
  const dmarc = results.filter(({ method }) => method === 'dmarc');
  if (dmarc.some(({ result }) => result === 'fail')) return false;
  if (dmarc.some(({ result, properties }) => result === 'pass' && domainOf(properties.get('header.from')) === domain)) {
    return true;
  }
  return results.some((one) => one.result === 'pass' && domainsOf(one).some((passed) => isAligned(passed, domain)));
}

/** Domains that a check was about. */
function domainsOf({ method, properties }: AuthenticationResult): string[] {
  const names = { dkim: ['header.d', 'header.i'], spf: ['smtp.mailfrom'] }[method] ?? [];
  return names.flatMap((name) => domainOf(properties.get(name)) ?? []);
}

function domainOf(address: string | undefined): string | undefined {
  const domain = address?.trim().toLowerCase().replace(/^.*@/s, '').replace(/\.$/, '');
  return domain || undefined;
}

/** The same domain, or `domain` is below the domain that passed, which must not be a top-level one. */
function isAligned(passed: string, domain: string): boolean {
  return passed === domain || (passed.includes('.') && domain.endsWith(`.${passed}`));
}
