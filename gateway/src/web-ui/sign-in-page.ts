/** What the page shows: what was typed before, where to go afterwards, and what was wrong. */
export interface SignInPage {
  readonly email?: string;
  /** Query of the page that was asked for. */
  readonly next: string;
  readonly fault?: string;
}

/** A form that needs neither script nor framework. */
export function signInPage({ email = '', next, fault }: SignInPage): string {
  const alert = fault === undefined ? '' : `<p role="alert" id="fault">${escapeHtml(fault)}</p>`;
  const described = fault === undefined ? '' : ' aria-describedby="fault" aria-invalid="true"';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in · Agent Mesh</title>
<link rel="stylesheet" href="/dev-ui/sign-in.css">
</head>
<body>
<main>
<h1>Agent Mesh</h1>
${alert}
<form method="post" action="/dev-ui/sign-in">
<input type="hidden" name="next" value="${escapeHtml(next)}">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${escapeHtml(email)}"${described}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${described}>
<button type="submit">Sign in</button>
</form>
</main>
</body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities[char] ?? '');
}
