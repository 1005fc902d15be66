import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArrivalOrder, type Link } from './arrival-order.ts';

test('it has those that have not left, in the order in which they came, whichever leave, also more than once', () => {
  const step = fc.oneof(fc.constant('come' as const), fc.nat());
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [order, links, inside] = [new ArrivalOrder<number>(), [] as Link<number>[], new Set<number>()];
      for (const step of steps) {
        if (step === 'come') {
          inside.add(links.length);
          links.push(order.add(links.length));
        } else {
          const left = links[step % Math.max(links.length, 1)];
          if (left !== undefined) order.remove(left);
          if (left !== undefined) inside.delete(left.item);
        }
        expect([...order]).toEqual([...inside]);
        expect([order.oldest, order.size]).toEqual([[...inside][0], inside.size]);
      }
    }),
  );
});
