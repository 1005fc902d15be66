import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../mail/context.ts';
import { logNotFound } from '../../errors.ts';
import { selectLogBody } from '../../store/log-lists.ts';
import type { LogHandlers } from './handlers.ts';

/** Returns the body of a log's mail as HTML. */
export function getLogBody({ db }: Context): LogHandlers['getLogBody'] {
  return async ({ accountId, logId }) => {
    const [row] = await selectLogBody(db, { accountId: checkAccountId(accountId), id: logId });
    if (row === undefined) throw logNotFound();
    return { html: row.body_html ?? htmlOf(row.body_text ?? '') };
  };
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function htmlOf(text: string): string {
  if (text === '') return '';
  return `<pre style="white-space:pre-wrap">${text.replace(/[&<>"']/g, (char) => entities[char] ?? '')}</pre>`;
}
