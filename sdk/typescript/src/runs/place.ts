/** Whether an id of a run's stream is at or before another one, so that its event has come already. Ids of the form `7` or `7-2` are compared. */
export function isNoNewer(id: string, last: string | undefined): boolean {
  const [one, other] = [numbersOf(id), numbersOf(last ?? '')];
  if (one === undefined || other === undefined) return false;
  return one[0] < other[0] || (one[0] === other[0] && one[1] <= other[1]);
}

function numbersOf(id: string): readonly [number, number] | undefined {
  const match = /^(\d+)(?:-(\d+))?$/.exec(id.replace(/-end\d+$/, ''));
  return match === null ? undefined : [Number(match[1]), Number(match[2] ?? 0)];
}
