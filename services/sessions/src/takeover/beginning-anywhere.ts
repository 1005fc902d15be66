/** The items in turn, from any of them on: so executors that ask for the same runs at the same time do not get in each other's way. */
export function beginningAnywhere<Item>(items: readonly Item[]): readonly Item[] {
  const first = Math.floor(Math.random() * items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}
