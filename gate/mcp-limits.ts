import { KiB, limit, pace } from '#core/limit.ts';

/** Tools for language models (`/mcp`). */
export const mcp = {
  waitMs: pace(50_000, 'ms', 'call of wait_for_mail', 'time', 'it answers without mail'),
  repeatMs: pace(
    20_000,
    'ms',
    'call of a tool',
    'time in which what is refused for being one of many is repeated',
    'it is refused',
  ),
  messages: pace(50, 'items', 'call of search_mail or wait_for_mail', 'mails', 'others are on further pages'),
  textCharacters: pace(20_000, 'characters', 'text of an answer', 'its length', 'it is cut, with a note'),
  answerCharacters: pace(
    60_000,
    'characters',
    'answer',
    'its length',
    'items of lists are left out, with their number, and long texts are cut, with a note',
  ),
  attachmentBytes: limit(256 * KiB, 'bytes', 'call of get_attachment', 'decoded attachment', 'an error'),
};
