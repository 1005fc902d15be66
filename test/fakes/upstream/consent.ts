/** The answer of the provider's consent page to the application, after its redirect. */
export interface ConsentAnswer {
  readonly redirectUri: string;
  readonly state: string;
  /** Absent after a refusal. */
  readonly code: string | undefined;
  /** The provider's error code after a refusal. */
  readonly error: string | undefined;
}

/** Opens the address of a consent page as a user would, signs in with this mailbox address, and consents or refuses. */
export async function openConsentPage(url: string, address: string, decision: 'accept' | 'deny' = 'accept') {
  const page = new URL(url);
  page.searchParams.set('login_hint', address);
  if (decision === 'deny') page.searchParams.set('fake_decision', 'deny');
  const response = await fetch(page, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (response.status !== 302 || location === null)
    throw new Error(`The consent page answered ${response.status}: ${await response.text()}`);
  const target = new URL(location);
  const { searchParams: query } = target;
  return {
    redirectUri: `${target.origin}${target.pathname}`,
    state: query.get('state') ?? '',
    code: query.get('code') ?? undefined,
    error: query.get('error') ?? undefined,
  } satisfies ConsentAnswer;
}
