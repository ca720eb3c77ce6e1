import type { Reader } from '#core/store.ts';

/** Function that takes the oldest time of its result (`Reading.notBefore`) as one more argument. */
type Dated<F> = F extends (...terms: infer Terms) => infer Result
  ? (...terms: [...Terms, notBefore?: number]) => Result
  : never;

/** Reads of the store that the read cache answers. Without a time, a result shows the state at the call. */
export type DatedReads = {
  [Port in keyof Reader]: { [Method in keyof Reader[Port]]: Dated<Reader[Port][Method]> };
};

/** Makes the reader of one request: one read of the team's version, begun after this call, serves all of its reads. */
export function createReader({ apiKeys, sessions, mailboxes, messages, teams }: DatedReads): Reader {
  const begun = performance.now();
  return {
    apiKeys: { findByHash: (hash) => apiKeys.findByHash(hash, begun) },
    sessions: { find: (hash, now) => sessions.find(hash, now, begun) },
    mailboxes: { find: (owner, accountId, id) => mailboxes.find(owner, accountId, id, begun) },
    messages: {
      find: (owner, id, visibility) => messages.find(owner, id, visibility, begun),
      list: (owner, filter, page, visibility, search) =>
        messages.list(owner, filter, page, visibility, search, begun),
    },
    teams: { roleOf: (team, user) => teams.roleOf(team, user, begun) },
  };
}
