import { limits } from '#core/limits.ts';
import type { Quotas } from '#core/quotas.ts';

const { domains, accounts, storageBytes } = limits.owned;

/** Quotas in the default settings. */
export const quotas: Quotas = { domains, accounts, storageBytes };
