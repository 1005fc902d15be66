interface Line {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}

/** The lines of both texts in order: removed ones, added ones, and those of both. Takes the longest common sequence of lines. */
export function differencesOf(before: readonly string[], after: readonly string[]): readonly Line[] {
  const common = lengthsOf(before, after);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [left, right] = [before[i], after[j]];
    if (left !== undefined && left === right) {
      lines.push({ sign: ' ', text: left });
      [i, j] = [i + 1, j + 1];
    } else if (left !== undefined && (right === undefined || at(common, i + 1, j) >= at(common, i, j + 1))) {
      lines.push({ sign: '-', text: left });
      i += 1;
    } else {
      lines.push({ sign: '+', text: right ?? '' });
      j += 1;
    }
  }
  return lines;
}

/** Length of the longest common sequence of what follows each pair of places. */
function lengthsOf(before: readonly string[], after: readonly string[]): readonly (readonly number[])[] {
  const lengths = Array.from({ length: before.length + 1 }, () => Array.from({ length: after.length + 1 }, () => 0));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const row = lengths[i];
      if (row === undefined) continue;
      row[j] =
        before[i] === after[j] ? at(lengths, i + 1, j + 1) + 1 : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
    }
  }
  return lengths;
}

function at(lengths: readonly (readonly number[])[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}
