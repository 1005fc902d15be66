/**
 * Returns whether a subscription's `allowed_senders` lets a sender through. An entry is an address, `ada@example.com`, or a domain,
 * `@example.com` or `example.com`, which does not include its subdomains. Letter case does not matter. An empty list lets everybody through; a mail
 * without a sender passes only that.
 */
export function isSenderAllowed(allowed: readonly string[], sender: string | undefined): boolean {
  if (allowed.length === 0) return true;
  const address = sender?.trim().toLowerCase();
  if (!address) return false;
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return allowed.some((entry) => {
    const wanted = entry.trim().toLowerCase();
    if (wanted === '') return false;
    const isAddress = wanted.indexOf('@') > 0;
    return isAddress ? wanted === address : wanted.replace(/^@/, '') === domain;
  });
}
