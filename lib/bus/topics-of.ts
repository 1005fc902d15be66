import { readers } from '@agentmesh/proto/mesh/v1/access';
import { topics } from '@agentmesh/proto/topics';
import { type DescMessage, getOption } from '@bufbuild/protobuf';
import { publisherOf, subjectOf } from './names/index.ts';
import { durablesOf, formerReadersOf } from './topic.ts';

/**
 * The topics that a service may publish and read, by their declarations. Each driver gives a service these rights alone. What a service read in an earlier release belongs
 * to them: its processes of that release are still there while an upgrade begins.
 */
export interface ServiceTopics {
  readonly published: readonly DescMessage[];
  /** Those whose hints it gets. */
  readonly read: readonly DescMessage[];
  /** Those of which it has a durable consumer, with its own name. */
  readonly consumed: readonly DescMessage[];
}

/** The topics of a service. */
export function topicsOf(service: string): ServiceTopics {
  return {
    published: topics.filter((topic) => publisherOf(subjectOf(topic)) === service),
    read: topics.filter((topic) => [...getOption(topic, readers), ...formerReadersOf(topic)].includes(service)),
    consumed: topics.filter((topic) => [...durablesOf(topic), ...formerReadersOf(topic)].includes(service)),
  };
}
