/** Quotas of a team, from the settings. `storageBytes`: maximum storage limit of an account. */
export type Quotas = { domains: number; accounts: number; storageBytes: number };
