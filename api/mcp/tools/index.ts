import type { Tool } from '#api/mcp/tool.ts';
import { createAddress } from './addresses.ts';
import { searchMail, waitForMail } from './mail-lists.ts';
import { deleteMail, getAttachment, readMail } from './one-mail.ts';
import { checkMail, compareMail, simulateFailure } from './testing.ts';

/** All tools, in the order in which a test uses them. */
export const tools: Tool[] = [
  ...[createAddress, waitForMail, searchMail, readMail, getAttachment, checkMail, compareMail],
  ...[simulateFailure, deleteMail],
];
