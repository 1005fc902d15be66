import { createHash } from 'node:crypto';
import type { VirtualClock } from './virtual-clock.ts';

export interface FakeUser {
  readonly id: string;
  /** Mailbox address. */
  readonly address: string;
  readonly name: string;
}

export interface FakeClient {
  readonly id: string;
  readonly secret: string;
}

/** A user's consent, bound to one code. */
export interface Consent {
  readonly user: FakeUser;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  /** S256 challenge of PKCE, when the client sent one. */
  readonly challenge: string | undefined;
  /** Whether a refresh token is given. */
  readonly offline: boolean;
}

export interface Grant {
  readonly user: FakeUser;
  readonly scopes: readonly string[];
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly expiresIn: number;
}

/** Reason of a refused token. */
export type TokenRefusal =
  | 'client'
  | 'code_unknown'
  | 'code_expired'
  | 'redirect_uri'
  | 'verifier'
  | 'refresh_unknown'
  | 'refresh_expired'
  | 'refresh_revoked';

export interface AuthorizationRules {
  readonly clock: VirtualClock;
  readonly client: FakeClient;
  /** Begins codes and tokens. */
  readonly prefix: string;
  /** A refresh answers a new refresh token. The old one stays valid until `refuseSuperseded`. */
  readonly rotates: boolean;
  /** Life of a refresh token that is not used. */
  readonly refreshLifeMs: number;
}

interface RefreshToken {
  readonly user: FakeUser;
  readonly scopes: readonly string[];
  readonly usedAt: number;
  readonly state: 'live' | 'superseded' | 'revoked';
}

const codeLifeMs = 10 * 60_000;
const accessLifeSeconds = 3_600;

/** Codes, refresh tokens and access tokens of a fake provider. All are numbered, so they are the same in every run. */
export class Authorization {
  readonly #rules: AuthorizationRules;
  readonly #codes = new Map<string, Consent & { readonly at: number }>();
  readonly #refresh = new Map<string, RefreshToken>();
  readonly #access = new Map<
    string,
    { readonly user: FakeUser; readonly scopes: readonly string[]; expires: number }
  >();
  #number = 0;
  /** Refuse a refresh token that was rotated, as providers do that detect reuse. */
  refuseSuperseded = false;
  /** Leave the refresh token out of answers. */
  omitRefreshToken = false;
  /** Number of successful refreshes by address. */
  readonly refreshes = new Map<string, number>();

  constructor(rules: AuthorizationRules) {
    this.#rules = rules;
  }

  isClient(id: string | null, secret: string | null): boolean {
    return id === this.#rules.client.id && secret === this.#rules.client.secret;
  }

  issueCode(consent: Consent): string {
    const code = this.#name('code');
    this.#codes.set(code, { ...consent, at: this.#now() });
    return code;
  }

  /** A code is gone after its first use, successful or not. */
  redeem(form: URLSearchParams): Grant | TokenRefusal {
    if (!this.isClient(form.get('client_id'), form.get('client_secret'))) return 'client';
    const code = form.get('code') ?? '';
    const consent = this.#codes.get(code);
    this.#codes.delete(code);
    if (consent === undefined) return 'code_unknown';
    if (this.#now() - consent.at > codeLifeMs) return 'code_expired';
    if (form.get('redirect_uri') !== consent.redirectUri) return 'redirect_uri';
    if (consent.challenge !== undefined && challengeOf(form.get('code_verifier')) !== consent.challenge)
      return 'verifier';
    return this.#grant(consent.user, consent.scopes, consent.offline ? this.#newRefresh(consent) : undefined);
  }

  refresh(form: URLSearchParams): Grant | TokenRefusal {
    if (!this.isClient(form.get('client_id'), form.get('client_secret'))) return 'client';
    const text = form.get('refresh_token') ?? '';
    const token = this.#refresh.get(text);
    if (token === undefined) return 'refresh_unknown';
    if (token.state === 'revoked') return 'refresh_revoked';
    if (token.state === 'superseded' && this.refuseSuperseded) return 'refresh_revoked';
    if (this.#now() - token.usedAt > this.#rules.refreshLifeMs) return 'refresh_expired';
    const { user, scopes } = token;
    this.refreshes.set(user.address, (this.refreshes.get(user.address) ?? 0) + 1);
    this.#refresh.set(text, { ...token, usedAt: this.#now(), state: this.#rules.rotates ? 'superseded' : 'live' });
    const next = this.#rules.rotates && !this.omitRefreshToken ? this.#newRefresh({ user, scopes }) : undefined;
    return this.#grant(user, scopes, next);
  }

  /** The user of a valid access token. */
  bearer(header: string | undefined): { user: FakeUser; scopes: readonly string[] } | 'expired' | 'unknown' {
    const token = this.#access.get(/^Bearer (.+)$/.exec(header ?? '')?.[1] ?? '');
    if (token === undefined) return 'unknown';
    return token.expires < this.#now() ? 'expired' : token;
  }

  /** Gives tokens to a user without the pages, as if the user had consented. */
  grantTo(user: FakeUser, scopes: readonly string[]): Grant {
    return this.#grant(user, scopes, this.#newRefresh({ user, scopes }));
  }

  /** Ends all refresh tokens of a user, e.g. after a password change. With `access` also the access tokens. */
  revoke(address: string, { access = false }: { access?: boolean } = {}): void {
    for (const [text, token] of this.#refresh)
      if (token.user.address === address) this.#refresh.set(text, { ...token, state: 'revoked' });
    if (access) this.expireAccess(address);
  }

  /** Ends the grant that a refresh token belongs to. False when there is none. */
  revokeToken(text: string): boolean {
    const user = this.#refresh.get(text)?.user ?? this.#access.get(text)?.user;
    if (user !== undefined) this.revoke(user.address, { access: true });
    return user !== undefined;
  }

  /** Makes all access tokens of a user expire now. */
  expireAccess(address: string): void {
    for (const token of this.#access.values()) if (token.user.address === address) token.expires = 0;
  }

  reset(): void {
    for (const tokens of [this.#codes, this.#refresh, this.#access, this.refreshes]) tokens.clear();
    this.refuseSuperseded = false;
    this.omitRefreshToken = false;
    this.#number = 0;
  }

  #grant(user: FakeUser, scopes: readonly string[], refreshToken: string | undefined): Grant {
    const accessToken = this.#name('access');
    this.#access.set(accessToken, { user, scopes, expires: this.#now() + accessLifeSeconds * 1000 });
    return { user, scopes, accessToken, refreshToken, expiresIn: accessLifeSeconds };
  }

  #newRefresh({ user, scopes }: Pick<RefreshToken, 'user' | 'scopes'>): string {
    const text = this.#name('refresh');
    this.#refresh.set(text, { user, scopes, usedAt: this.#now(), state: 'live' });
    return text;
  }

  #now(): number {
    return this.#rules.clock.now().getTime();
  }

  #name(kind: string): string {
    this.#number += 1;
    return `${this.#rules.prefix}-${kind}-${this.#number}`;
  }
}

function challengeOf(verifier: string | null): string {
  return createHash('sha256')
    .update(verifier ?? '')
    .digest('base64url');
}

/** An unsigned JWT for id tokens that are read straight from the token endpoint, whose TLS vouches for them. */
export function unsignedToken(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ typ: 'JWT', alg: 'none' })}.${part(claims)}.`;
}
