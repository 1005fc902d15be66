import type { BaseTool } from '@google/adk/core';
import { Type } from '@google/genai';
import { BuiltInTool } from './built-in-tool.ts';

const description =
  'Tells the current time as ISO 8601 with the offset from UTC. Takes an IANA time zone, e.g. Europe/Paris; UTC if none.';

/** `get_current_time`: `{timezone?}` -> `{time, timezone}`. */
export function createGetCurrentTime({ now = () => new Date() }: { readonly now?: () => Date }): BaseTool {
  return new BuiltInTool({
    name: 'get_current_time',
    idempotent: true,
    description,
    parameters: {
      type: Type.OBJECT,
      properties: { timezone: { type: Type.STRING, description: 'IANA time zone name' } },
    },
    run({ args }) {
      const timezone = args['timezone'] ?? 'UTC';
      const format = typeof timezone === 'string' ? zoneFormat(timezone) : undefined;
      if (format === undefined)
        return { error: `There is no time zone ${JSON.stringify(timezone)}. Use an IANA name.` };
      return { time: formatIso(now(), format), timezone };
    },
  });
}

function zoneFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    });
  } catch {
    return undefined;
  }
}

function formatIso(date: Date, format: Intl.DateTimeFormat): string {
  const parts = new Map(format.formatToParts(date).map(({ type, value }) => [type, value]));
  const at = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const offset = at('timeZoneName').replace('GMT', '') || '+00:00';
  const day = `${at('year')}-${at('month')}-${at('day')}`;
  return `${day}T${at('hour')}:${at('minute')}:${at('second')}${offset}`;
}
