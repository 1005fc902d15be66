/** Things of an account that the browser keeps. They belong to the account of which the key `account` has the address. */
const names = ['account', 'chat.app', 'chat.titles'] as const;
type Name = (typeof names)[number];

export function kept(name: Name): string | null {
  return localStorage.getItem(name);
}

export function keep(name: Name, value: string): void {
  localStorage.setItem(name, value);
}

/** Forgets what is of another account than this one. */
export function keepFor(email: string): void {
  if (kept('account') === email) return;
  forgetKept();
  keep('account', email);
}

export function forgetKept(): void {
  for (const name of names) localStorage.removeItem(name);
}
