import type { Context } from '../context.ts';
import type { Handlers } from './handlers.ts';

export function listSpans({ spans }: Context): Handlers['listSpans'] {
  return ({ accountId, appName, of }) => {
    if (spans === undefined || of.case === undefined) return { spans: [] };
    const app = { accountId, appName };
    return { spans: of.case === 'sessionId' ? spans.ofSession(app, of.value) : spans.ofEvent(app, of.value) };
  };
}
