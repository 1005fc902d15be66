/** Where access tokens for Google's APIs come from. */
export interface TokenSource {
  /**
   * An access token that is valid for some minutes at least. Throws MeshError `agent_identity_not_configured` when this process has
   * no Google credential, and `agent_identity_refused` when no token is given for it.
   */
  accessToken(): Promise<string>;
}
