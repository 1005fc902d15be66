export { answerRefusedBy, AnswerRefused } from './answer-refused.ts';
export { roomForHeap } from './answer-budget.ts';
export { bytesOfAnswers } from './answer-gauge.ts';
export { createBoundedFetch } from './bounded-fetch.ts';
export { boundedChunks, readAnswer } from './read-answer.ts';
export { reasonPhrase } from './reason-phrase.ts';
