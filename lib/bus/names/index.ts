export { messageSpan } from './message-span.ts';
export { namesOf, streamOf } from './stream-names.ts';
export { publisherOf, subjectOf } from './subject.ts';
