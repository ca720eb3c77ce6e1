import Joi from 'joi';
import type { Account } from '#core/accounts/account.ts';
import { listOf, responseShape, type Wire, wholeNumber } from './response-shape.ts';

const fullAccount = responseShape(null, {
  id: wholeNumber().min(1).example(4),
  address: Joi.string().example('qa@app.test'),
});

export const storageShape = responseShape('Storage', {
  is_disk_full: Joi.boolean()
    .example(false)
    .description('Whether the server refuses all mail because its disk is full.'),
  full_accounts: listOf(fullAccount).description(
    'Accounts of yours that have refused mail for want of room since room was made: at most 10.',
  ),
});

export function presentStorage(
  isDiskFull: boolean,
  full: Pick<Account, 'id' | 'address'>[],
): Wire<typeof storageShape> {
  return { is_disk_full: isDiskFull, full_accounts: full.map(({ id, address }) => ({ id, address })) };
}
