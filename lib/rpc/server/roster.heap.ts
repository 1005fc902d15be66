import { retainedBytes } from '../../heap-testing/index.ts';
import { Roster } from './roster.ts';

// Prints the bytes that items leave behind which came into a roster, a Set or a Map and left it: node --expose-gc roster.heap.ts set

type Enter = (item: object) => () => void;

const variants: Record<string, () => Enter> = {
  roster: () => {
    const roster = new Roster<object>();
    return (item) => roster.add(item);
  },
  set: () => {
    const items = new Set<object>();
    return (item) => {
      items.add(item);
      return () => void items.delete(item);
    };
  },
  map: () => {
    const items = new Map<number, object>();
    let id = 0;
    return (item) => {
      const key = (id += 1);
      items.set(key, item);
      return () => void items.delete(key);
    };
  },
};

const enter = variants[process.argv[2] ?? '']?.();
if (enter === undefined) throw new Error('unknown variant');

const present: (() => void)[] = [];

/** Five hundred items of 8 KB, ten of them present at a time. */
function round(): void {
  for (let made = 0; made < 500; made += 1) {
    present[made % 10]?.();
    present[made % 10] = enter?.({ payload: Array.from({ length: 1_000 }, () => 0) }) ?? (() => undefined);
  }
}

process.stdout.write(`${await retainedBytes(round)}`);
