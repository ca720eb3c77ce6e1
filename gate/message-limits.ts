import { KiB, limit, MiB, pace } from '#core/limit.ts';

/** Checks of messages. */
export const checks = {
  waiting: limit(20, 'items', 'user and process', 'messages that wait to be checked', '429 `rate_limited`'),
  ms: limit(2_000, 'ms', 'message', 'time of its checks', '503 `too_busy`'),
  heapBytes: limit(128 * MiB, 'bytes', 'thread of the checks', 'heap', '503 `too_busy`'),
  spamAtOnce: pace(
    2,
    'items',
    'process',
    'mails that the spam filter is asked about, one a user',
    'users take turns',
  ),
  spamMs: limit(10_000, 'ms', 'message', 'time of the spam filter, with its turn', '`error`'),
  spamBytes: limit(4 * MiB, 'bytes', 'message', 'mail that the spam filter is asked about', '`error`'),
  spamAnswerBytes: pace(256 * KiB, 'bytes', 'message', 'answer of the spam filter', '`error`'),
};

/** Assertions about messages. */
export const assertions = {
  threads: pace(
    2,
    'items',
    'process',
    'messages whose clauses are evaluated, one a user',
    'users take turns',
  ),
  waiting: limit(100, 'items', 'user and process', 'messages whose clauses wait', '429 `rate_limited`'),
  patternMs: pace(100, 'ms', 'clause and message', 'time of a regular expression', 'the clause fails'),
  patternsMs: pace(
    1_000,
    'ms',
    'message',
    'processor time of all regular expressions',
    'the other clauses fail',
  ),
  ms: limit(10_000, 'ms', 'message', 'time of its clauses', '503 `too_busy`'),
  heapBytes: limit(128 * MiB, 'bytes', 'thread of the clauses', 'heap', '503 `too_busy`'),
};

/** Comparisons of mails. */
export const comparison = {
  waiting: limit(20, 'items', 'user and process', 'comparisons that wait', '429 `rate_limited`'),
  ms: limit(3_000, 'ms', 'comparison', 'its time', '503 `too_busy`'),
  heapBytes: limit(256 * MiB, 'bytes', 'thread of the comparisons', 'heap', '503 `too_busy`'),
  patternMs: pace(100, 'ms', 'mail', 'time of an expression of `mask_patterns`', '422'),
  patternsMs: pace(1_000, 'ms', 'comparison', 'processor time of all of them', '422'),
  diffMs: pace(200, 'ms', 'part of a mail', 'time to find what changed', '`too_different`'),
  changes: pace(200, 'items', 'comparison', '`changes`', 'the rest is left out'),
  changeCharacters: pace(2_000, 'characters', 'change', '`path`, `before` and `after` each', 'they are cut'),
  unifiedCharacters: pace(64 * KiB, 'characters', 'comparison', '`unified`', 'it is cut'),
};
