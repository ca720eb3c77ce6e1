/** Mail that is missing or not as it was wanted, or a server that does not answer. Says so in one sentence. */
export class SandpostError extends Error {
  name = 'SandpostError';
}
