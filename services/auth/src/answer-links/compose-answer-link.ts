import type { RunWait } from '@agentmesh/proto/auth/v1';
import { composeMessage, escapeHtml } from '../mail/compose-mail.ts';

export interface AnswerLinkContent {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly date: Date;
  readonly wait: RunWait;
  /** Address of the page, without its query. */
  readonly page: string;
  readonly token: string;
  readonly hours: number;
}

const mostNamed = 5;
const longestLabel = 64;

/**
 * Renders the mail as MIME. It names the tools that are asked about and not their arguments, which may hold secrets: mail rests in mailboxes for years,
 * and the page behind the link shows them while the link is valid. Every attempt to send the mail has the same Message-ID.
 */
export function composeAnswerLink({ wait, page, token, hours, ...message }: AnswerLinkContent): Promise<Buffer> {
  const link = `${page}?token=${token}`;
  const before = `The app ${labelOf(wait.appName)} waits for your answer in the session ${labelOf(wait.sessionId)}:`;
  const asked = askedFor(wait);
  const valid = `The link is valid for ${hours === 1 ? 'one hour' : `${hours} hours`} and for one answer.`;
  const after = `${valid} Who has it can give the answer, so do not pass this mail on.`;
  const html = `<!doctype html><html lang="en"><body style="font-family:sans-serif">
<p>${escapeHtml(before)}</p>
<ul>${asked.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>
<p><a href="${escapeHtml(link)}">See what is asked, and answer</a></p>
<p>${after}</p>
</body></html>`;
  const list = asked.map((line) => `- ${line}`).join('\n');
  const text = `${before}\n\n${list}\n\nSee what is asked, and answer:\n${link}\n\n${after}\n`;
  return composeMessage({ ...message, subject: 'An agent waits for your answer', text, html });
}

function askedFor({ calls }: RunWait): string[] {
  const lines = calls
    .slice(0, mostNamed)
    .map(({ tool, isApproval }) =>
      isApproval ? `approval of a call of ${labelOf(tool)}` : `an answer to ${labelOf(tool)}`,
    );
  return calls.length > mostNamed ? [...lines, `and ${calls.length - mostNamed} more`] : lines;
}

/** A name without anything that could be a sentence or a link: end users and models may have chosen it. */
function labelOf(name: string): string {
  const safe = name.replace(/[^\p{L}\p{N}_-]+/gu, '_');
  return Array.from(safe).slice(0, longestLabel).join('');
}
