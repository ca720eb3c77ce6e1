/** Fault that a test must find. */
export type Break = {
  file: string;
  /** Text to replace. Occurs in the file exactly once. */
  text: string;
  replacement: string;
  /** Part of the path of the test file that must find the break. */
  test: string;
};

/** Faults, each in one place of the program or of a test. */
export const breaks: Break[] = [
  {
    file: 'core/delivery/accept-recipient.ts',
    text: `if (!domain.active) return refused('inactive-domain');`,
    replacement: '',
    test: 'core/delivery/accept-recipient',
  },
  {
    file: 'core/messages/retention.ts',
    text: 'message.expiresAt <= now',
    replacement: 'message.expiresAt >= now',
    test: 'core/messages/retention',
  },
  {
    file: 'adapters/stores/sqlite/delivery/deliveries.ts',
    text: 'min(a.active, d.active) AS active',
    replacement: '1 AS active',
    test: 'conformance/deliveries',
  },
  {
    file: 'adapters/stores/sqlite/open.ts',
    text: 'lease.until <= now.getTime()',
    replacement: 'false',
    test: 'conformance/leases',
  },
  {
    file: 'adapters/stores/sqlite/journal.ts',
    text: 'number > :after ORDER BY number',
    replacement: 'number >= :after ORDER BY number',
    test: 'conformance/journal',
  },
  {
    file: 'core/delivery/plan-delivery.ts',
    text: `if (account.owner !== owner || !account.active) return { reason: 'inactive', address };`,
    replacement: '',
    test: 'core/delivery/plan-delivery',
  },
  {
    file: 'adapters/stores/mongo/open.ts',
    text: '{ expiresAt: { $lte: now } }',
    replacement: '{ expiresAt: { $gte: now } }',
    test: 'conformance/leases',
  },
  {
    file: 'adapters/stores/mongo/messages/message-scope.ts',
    text: `cursor: partsOf(found, 'head')[0]?.number ?? 0,`,
    replacement: 'cursor: 0,',
    test: 'conformance/lists',
  },
  {
    file: 'api/nouns/tokens.ts',
    text: 'services.rows.change(revokeKey, { team: caller.team, key: ids.token_id, manager: null }),',
    replacement: "Promise.resolve({ name: '' }),",
    test: 'api/tokens',
  },
  {
    file: 'api/middleware/admission.ts',
    text: 'if (ctx.state.caller !== null) return;',
    replacement: 'if (ctx.state.caller !== undefined) return;',
    test: 'api/tokens',
  },
  {
    file: 'smtp/input-stream.ts',
    text: 'at = from = line + 3;',
    replacement: 'at = from = line + 2;',
    test: 'smtp/input-stream',
  },
  {
    file: 'smtp/replies.ts',
    text: "'no-such-account': [550, '5.1.1'",
    replacement: "'no-such-account': [450, '4.1.1'",
    test: 'smtp/dialogue',
  },
  {
    file: 'operator/objects.ts',
    text: 'if (!isOurs) return notReady(conflict(resource, nameOf(stored), stored.managedBy));',
    replacement: '',
    test: 'operator/domain/decide',
  },
  {
    file: 'operator/runtime/work-queue.ts',
    text: `if (entry.state === 'working') entry.state = 'again';`,
    replacement: '',
    test: 'operator/runtime/work-queue',
  },
  {
    file: 'api/web/place-url.ts',
    text: 'encodeURIComponent(filter.q)',
    replacement: 'filter.q',
    test: 'web/place-url',
  },
  {
    file: 'api/web/message/linkify.ts',
    text: 'from = index + url.length;',
    replacement: 'from = index;',
    test: 'message/linkify',
  },
  {
    file: 'core/messages/threads.ts',
    text: '.filter((token) => token !== own)',
    replacement: '',
    test: 'core/messages/threads',
  },
  {
    file: 'core/teams/member-changes.ts',
    text: `if (member.role === 'owner' && !facts.hasOtherOwner)`,
    replacement: `if (member.role === 'owner' && facts.hasOtherOwner)`,
    test: 'core/teams/member-changes',
  },
  {
    file: 'core/domains/domain-name.ts',
    text: 'if (letterlike.test(given)) return null;',
    replacement: '',
    test: 'core/domains/domain-name',
  },
  {
    file: 'core/access/email.ts',
    text: `text.normalize('NFKC') === text ? text.toLowerCase() : null`,
    replacement: 'text.toLowerCase()',
    test: 'core/access/email',
  },
  {
    file: 'core/access/user-changes.ts',
    text: `{ do: 'end-sessions-of', user: user.id, keep },`,
    replacement: '',
    test: 'core/access/user-changes',
  },
  {
    file: 'gate/slots.ts',
    text: 'if (taken >= this.#most) return null;',
    replacement: 'if (taken > this.#most) return null;',
    test: 'gate/slots',
  },
  {
    file: 'gate/fair-queue.ts',
    text: 'this.#byParty.delete(party);\n      if (items.length > 0) this.#byParty.set(party, items);',
    replacement: 'if (items.length === 0) this.#byParty.delete(party);',
    test: 'gate/fair-queue',
  },
  {
    file: 'api/middleware/session-cookie.ts',
    text: `return secFetchSite === 'same-origin' || secFetchSite === 'none';`,
    replacement: 'return true;',
    test: 'api/middleware/session-cookie',
  },
  {
    // Ends the file's process with 0 before a test has run.
    file: 'test/once/conformance/leases.test.ts',
    text: "onEachStore('a lease has one holder",
    replacement: "process.exit(0);\nonEachStore('a lease has one holder",
    test: 'conformance/leases',
  },
];
