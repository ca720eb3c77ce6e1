import { limits, type Quotas } from '#core/limits.ts';

const { domains, accounts, storageBytes } = limits.owned;

/** The quotas that the settings have by default. */
export const quotas: Quotas = { domains, accounts, storageBytes };
