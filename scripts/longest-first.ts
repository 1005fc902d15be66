import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders and files whose tests take long, the longest first: they start processes, kill them and wait for others to notice. */
const long = [
  'test/faults/rollout',
  'test/faults/wrong-clock',
  'test/new-service',
  'test/start',
  'test/faults',
  'test/sdk',
  'test/documentation',
  'test/simulation',
  'test/timing',
  'services/runs/src/apps',
  'test/e2e/mail',
  'test/e2e/web',
  'test/e2e/cli',
  'test/e2e/keys',
];

/** Starts long files first, so that at the end no worker waits for the last one. Vitest knows how long a file took only where it ran before. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const place = long.findIndex((start) => moduleId.includes(`/${start}`));
  return place === -1 ? long.length : place;
}
