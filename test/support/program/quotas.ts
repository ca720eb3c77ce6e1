import { limits, type Quotas } from '#core/limits.ts';

const { domains, accounts, storageBytes } = limits.owned;

/** Quotas of the default settings. */
export const quotas: Quotas = { domains, accounts, storageBytes };
