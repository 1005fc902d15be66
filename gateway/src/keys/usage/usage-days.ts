import { InvalidRequest } from '../../edge/errors/request-error.ts';

/** The days of a query: by default those of the present month. Throws InvalidRequest. */
export function daysOf(query: { readonly from?: string; readonly to?: string }): { from: string; to: string } {
  const to = requireDay('to', query.to ?? new Date().toISOString().slice(0, 10));
  const from = requireDay('from', query.from ?? `${to.slice(0, 7)}-01`);
  if (from > to) throw badDay('from', 'The first day must not be after the last one.');
  return { from, to };
}

function requireDay(name: string, day: string): string {
  const time = new Date(day);
  if (!Number.isNaN(time.getTime()) && time.toISOString().startsWith(day)) return day;
  throw badDay(name, 'There is no such day.');
}

function badDay(name: string, msg: string): InvalidRequest {
  return new InvalidRequest([{ type: 'value_error', loc: ['query', name], msg, ctx: { error: msg } }]);
}
