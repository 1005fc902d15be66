const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const months = [
  '',
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const shortDays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** A cron expression of five fields in words, e.g. `At 09:30 on Monday to Friday`; the expression itself where it has other fields. */
export function cronInWords(cron: string): string {
  const fields = cron.trim().split(/\s+/);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  if (fields.length !== 5) return cron;
  return [timeOf(minute, hour), daysOf(day, weekday), month === '*' ? '' : `in ${list(month, monthName)}`]
    .filter(Boolean)
    .join(' ');
}

function timeOf(minute: string, hour: string): string {
  const isOne = (field: string): boolean => /^\d+$/.test(field);
  if (isOne(minute) && isOne(hour)) return `At ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  const hours = hour === '*' ? '' : `, ${every(hour, 'hour') ?? `in the hours ${list(hour, String)}`}`;
  if (isOne(minute)) return hour === '*' ? `Each hour at minute ${minute}` : `At minute ${minute}${hours}`;
  return `${capital(every(minute, 'minute') ?? `at the minutes ${list(minute, String)}`)}${hours}`;
}

/** `*` and `a step` in words; undefined for other fields. */
function every(field: string, unit: string): string | undefined {
  if (field === '*') return `every ${unit}`;
  const step = /^\*\/(\d+)$/.exec(field)?.[1];
  if (step === undefined) return undefined;
  return step === '1' ? `every ${unit}` : `every ${step} ${unit}s`;
}

function daysOf(day: string, weekday: string): string {
  const byDay = day === '*' ? '' : (every(day, 'day') ?? `on day ${list(day, String)} of the month`);
  const byWeekday = weekday === '*' ? '' : `on ${list(weekday, dayName)}`;
  return [byDay, byWeekday].filter(Boolean).join(' or ');
}

/** `1-5,7` as `1 to 5, 7`, with each value by its name. */
function list(field: string, nameOf: (value: string) => string): string {
  return field
    .split(',')
    .map((part) => {
      const [range = '', step] = part.split('/');
      const words = range.split('-').map(nameOf).join(' to ');
      return step === undefined ? words : `${words} by ${step}`;
    })
    .join(', ');
}

function dayName(value: string): string {
  const at = shortDays.indexOf(value.toLowerCase());
  return days[at === -1 ? Number(value) : at] ?? value;
}

function monthName(value: string): string {
  return (
    months[Number(value)] ?? months.find((name) => name.slice(0, 3).toLowerCase() === value.toLowerCase()) ?? value
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
