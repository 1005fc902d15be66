import { expect, test } from 'vitest';
import { checkCompaction } from './compaction-keys.ts';

test.each([
  [{ compaction_interval: 3, overlap_size: 0 }, []],
  [{ token_threshold: 9, event_retention_size: 2, summarizer: { prompt_template: 'a {conversation_history}' } }, []],
  [{ compaction_interval: 3 }, ['events_compaction_config.overlap_size: is required with compaction_interval']],
  [{ event_retention_size: 3 }, ['events_compaction_config.token_threshold: is required with event_retention_size']],
  [
    {},
    [
      'events_compaction_config: needs compaction_interval and overlap_size, or token_threshold and event_retention_size',
    ],
  ],
  [
    { compaction_interval: 1, overlap_size: 1, summarizer: { prompt_template: 'a' } },
    ['events_compaction_config.summarizer.prompt_template: must contain {conversation_history}'],
  ],
  [undefined, []],
  ['text', []],
])('of %j, the mistakes are %j', (value, mistakes) => {
  expect(checkCompaction(value).map(({ path, reason }) => `${path.join('.')}: ${reason}`)).toEqual(mistakes);
});
