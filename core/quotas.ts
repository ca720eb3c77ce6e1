/** Quotas of a team, from the settings. `storageBytes`: bound of the storage limit of an account. */
export type Quotas = { domains: number; accounts: number; storageBytes: number };
