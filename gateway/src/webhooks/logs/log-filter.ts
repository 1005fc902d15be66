import { InvalidRequest } from '../../edge/errors/request-error.ts';
import type { LogQuery } from './log-record.ts';

const statuses = ['pending', 'in_progress', 'success', 'retrying', 'error', 'skipped'];
const dayMs = 86_400_000;
const date = /^\d{4}-\d{2}-\d{2}$/;
const dateTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?$/i;

/** The filter of a list of logs in the form of the service. Throws InvalidRequest for an unknown status and a text that is no time. */
export function logFilter({ subscription_id, agent_id, status, since, until, q, limit, offset }: LogQuery) {
  const end = until === undefined ? undefined : timeOf('until', until);
  return {
    subscriptionId: subscription_id ?? 0,
    agentId: agent_id ?? 0,
    statuses: status === undefined ? [] : statusesOf(status),
    since: since === undefined ? undefined : timeOf('since', since) / 1000,
    // A date covers its whole day.
    until: end === undefined ? undefined : (date.test(until ?? '') ? end + dayMs : end + 1) / 1000,
    query: q ?? '',
    limit: limit ?? 50,
    offset: offset ?? 0,
  };
}

function statusesOf(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => name !== 'failed' && !statuses.includes(name));
  if (unknown !== undefined) throw invalid('status', `Unknown status ${JSON.stringify(unknown)}`, text);
  return names.flatMap((name) => (name === 'failed' ? ['error', 'retrying'] : [name]));
}

/** Milliseconds since 1970. A time without a zone is in UTC. */
function timeOf(field: string, text: string): number {
  const isDate = date.test(text);
  if (!isDate && !dateTime.test(text)) throw invalid(field, 'Input should be an ISO date or time', text);
  const hasZone = isDate || /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  const ms = Date.parse(hasZone ? text : `${text}Z`);
  if (Number.isNaN(ms) || ms < 0 || !isDay(text.slice(0, 10)))
    throw invalid(field, 'Input should be an ISO date or time', text);
  return ms;
}

/** False for days that no month has, e.g. February 30. */
function isDay(text: string): boolean {
  return new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);
}

function invalid(field: string, msg: string, input: string): InvalidRequest {
  return new InvalidRequest([{ type: 'value_error', loc: ['query', field], msg, input }]);
}
