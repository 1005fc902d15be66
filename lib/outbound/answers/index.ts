export { answerRefusedBy, AnswerRefused } from './answer-refused.ts';
export { createBoundedFetch } from './bounded-fetch.ts';
export { boundedChunks, readAnswer } from './read-answer.ts';
