/** Adds `settings` for its sessions to the address. They are sent in the startup packet, so they cost no round trip. */
export function withSessionSettings(address: string, settings: readonly string[]): string {
  const url = new URL(address);
  const given = url.searchParams.get('options');
  url.searchParams.delete('options');
  const added = settings.map((setting) => `-c ${setting}`);
  const options = given === null ? added : [given, ...added];
  const separator = url.search === '' ? '?' : '&';
  return `${url.href}${separator}options=${encodeURIComponent(options.join(' '))}`;
}
