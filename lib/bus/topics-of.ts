import { readers } from '@agentmesh/proto/mesh/v1/access';
import { topics } from '@agentmesh/proto/topics';
import { type DescMessage, getOption } from '@bufbuild/protobuf';
import { publisherOf, subjectOf } from './names/index.ts';
import { durablesOf } from './topic.ts';

/** The topics that a service may publish and read, by their declarations. Each driver gives a service these rights alone. */
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
    read: topics.filter((topic) => getOption(topic, readers).includes(service)),
    consumed: topics.filter((topic) => durablesOf(topic).includes(service)),
  };
}
