/** Lines of two texts that differ, those of the first with `-` and those of the second with `+`; empty for equal texts. */
export function differences(one: string, other: string): string[] {
  const [before, after] = [one.trimEnd().split('\n'), other.trimEnd().split('\n')];
  const lengths = commonLengths(before, after);
  const lines: string[] = [];
  let [at, to] = [0, 0];
  while (at < before.length || to < after.length) {
    const isSame = at < before.length && to < after.length && before[at] === after[to];
    const [down = 0, right = 0] = [lengths[at + 1]?.[to], lengths[at]?.[to + 1]];
    if (isSame) [at, to] = [at + 1, to + 1];
    else if (to >= after.length || (at < before.length && down >= right)) lines.push(`- ${before[at++]}`);
    else lines.push(`+ ${after[to++]}`);
  }
  return lines;
}

/** Number of lines that the rests of two texts have in common, in order, by where the rests begin. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () => Array.from({ length: after.length + 1 }, () => 0));
  for (let at = before.length - 1; at >= 0; at -= 1)
    for (let to = after.length - 1; to >= 0; to -= 1) {
      const [row, next] = [lengths[at] ?? [], lengths[at + 1] ?? []];
      row[to] = before[at] === after[to] ? 1 + (next[to + 1] ?? 0) : Math.max(next[to] ?? 0, row[to + 1] ?? 0);
    }
  return lengths;
}
